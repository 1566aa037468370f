# What the page's commands take for granted: a fleet, and a call that runs.
cp tests/e2e/docs/prepared/incidents/nap.yaml .
toolway dev --specs nap.yaml
export TOOLWAY_URL=http://127.0.0.1:8080
toolway session open s -n demo
toolway call demo.nap --session s && sleep 2
