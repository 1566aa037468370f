# What the page's commands take for granted: a stack, and a call whose result is large.
toolway dev
toolway call bench.work result_bytes=400000 --session chat --wait -o json > /dev/null
export CALL=$(toolway calls list --limit 1 -o name)
