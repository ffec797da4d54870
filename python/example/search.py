"""Searches a graph of flights, whose edges are columns of Python, and ranks its airports."""

import foray

flights = {
    "from": ["VIE", "VIE", "LIS", "OSL"],
    "to": ["LIS", "OSL", "JFK", "JFK"],
    "minutes": [215, 150, 480, 500],
}

stops = foray.bfs(flights, source="VIE", directed=True, order="given").to_pydict()
for airport, depth in zip(stops["vertex"], stops["depth"]):
    print(airport, depth)

paths = foray.sssp(flights, source="VIE", weight="minutes", directed=True, parents=True, order="given").to_pydict()
print(paths["parent"])

airports = {"id": ["VIE", "LIS", "OSL", "JFK", "ZRH"], "country": ["AT", "PT", "NO", "US", "CH"]}
cores = foray.kcore(flights, vertices=airports, properties=["country"], order="given").to_pydict()
print(list(zip(cores["country"], cores["core"])))

try:
    foray.bfs(flights, source="ABC")
except foray.InvalidError as error:
    print(error)
