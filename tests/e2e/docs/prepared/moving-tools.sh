# An agent's list of tools, and the function that it names.
cp -r tests/e2e/docs/prepared/moving-tools ~/moving && cd ~/moving
