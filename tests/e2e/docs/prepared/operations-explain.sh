# What the page's command takes for granted: a stack, and a call to a pool that no worker serves.
cp tests/e2e/docs/prepared/operations-explain/gpu.yaml .
toolway dev --specs gpu.yaml
toolway migrate --pool gpu --nats "$(cat .toolway/run/nats-url)" --postgres-url-file .toolway/run/postgres-url
until toolway call vision.classify '{}' --session chat; do sleep 0.2; done
