# A stack, and a server that speaks OpenAI's API in place of the model.
export PYTHONPATH=$CHECKOUT/build/agents-python
python3 $CHECKOUT/tests/e2e/docs/tutorial_model.py ~/model-url agents &
export OPENAI_BASE_URL=$(cat ~/model-url)/v1
toolway dev
