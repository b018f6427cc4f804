"""What the phantom's benchmarks say of themselves."""

CARD = {
    "name": "The phantom",
    "revision": "1",
    "licence": "Apache-2.0",
    "citation": "fairlead: drawn by its own code",
    "obtain": "ships with fairlead",
    "about": (
        "An instrument of known bias for calibration and demonstration; not evidence about "
        "any real model or search."
    ),
}
