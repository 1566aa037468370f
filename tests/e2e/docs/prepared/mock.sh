# What the page's commands take for granted: files, and a NATS server where workers look by default.
cp tests/e2e/docs/prepared/mock/* .
nats-server --jetstream --store_dir ~/nats --addr 127.0.0.1 &
