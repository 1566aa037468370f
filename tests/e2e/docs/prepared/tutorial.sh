# An empty directory of the reader's own, and a server that speaks OpenAI's API in place of the model.
mkdir -p ~/shop && cd ~/shop
export TOOLWAY=$CHECKOUT PYTHONPATH=$CHECKOUT/build/agents-python
python3 $CHECKOUT/tests/e2e/docs/tutorial_model.py ~/model-url &
export OPENAI_BASE_URL=$(cat ~/model-url)/v1
