def get_weather(city: str) -> dict:
    return {"city": city, "sky": "clear"}
