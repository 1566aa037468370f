# A pack named x, and a directory of secrets.
cp -r packs/ethereum packs/x && mv packs/x/ethereum.yaml packs/x/x.yaml
export DIR=~/secrets && mkdir -m 700 ~/secrets
