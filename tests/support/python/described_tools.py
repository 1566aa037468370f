"""Functions whose specs come from their type hints and docstrings."""
import dataclasses
import datetime
import enum
from typing import Annotated, Any, AsyncIterator, Dict, Generator, List, Literal, Optional, TypedDict, Union

from toolway import Context

ran = []


class Unit(enum.Enum):
    CELSIUS = "celsius"
    FAHRENHEIT = "fahrenheit"


class Place(TypedDict, total=False):
    city: str
    country: str


@dataclasses.dataclass
class Tree:
    """A tree of names."""
    name: str
    children: List["Tree"] = dataclasses.field(default_factory=list)


class Forecast(TypedDict):
    degrees: float


def weather(city: str, days: int = 1, unit: Unit = Unit.CELSIUS, place: Optional[Place] = None,
            context: Context = None) -> Forecast:
    """The weather in a city.

    As far as anybody knows.

    Args:
        city: Where, in
            any language.
        days (int): How many days ahead.

    Returns:
        What to expect.
    """
    ran.append("weather")


def numpy_style(values: List[float], exact: bool, mode: Literal["fast", "slow"] = "fast"):
    """Adds numbers.

    Parameters
    ----------
    values : list of float
        What to add.
    exact
        Whether to
        be exact.

    Returns
    -------
    float
    """


async def rest_style(when: datetime.datetime, either: Union[int, str], **options: Any) -> None:
    """Remembers.

    :param when: The time.
    :type when: datetime
    :param int either: One or
        the other.
    :returns: nothing
    """


def steps(tree: Tree, names: Annotated[Dict[str, int], "Counts by name."], limit: float = None) -> Generator[str, None, int]:
    yield "a"
    return 1


async def stream(pair: tuple, anything=None) -> AsyncIterator[int]:
    yield 1


def variadic(*args):
    pass


def binary(data: bytes):
    pass


def _hidden():
    pass


class Group:
    @staticmethod
    def inside(text: str) -> str:
        return text
