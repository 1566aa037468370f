# What the page takes for granted: a stack whose tools see a directory with two files.
mkdir -p ~/talk && cp -r examples README.md ~/talk && cd ~/talk
toolway dev
