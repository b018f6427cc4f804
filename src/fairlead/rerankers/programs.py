"""Linear and mixed-integer programs, solved by HiGHS through scipy.

    maximise  c x   subject to   low <= A x <= high,   0 <= x <= upper

Every answer comes with a bound that proves how good it is. HiGHS: Huangfu, Hall: Parallelizing the
dual revised simplex method (Mathematical Programming Computation 2018). scipy is an extra.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from fairlead.errors import BackendError, MissingExtra
from fairlead.rerankers.deadline import NEVER, Deadline, OutOfTimeError
from fairlead.types.ragged import Array

EXTRA = "lp"
GAP = 1e-4
"""How far a whole-numbered answer may lie below its bound, relative to the bound.

HiGHS and Gurobi take this by default.
"""


@dataclass(frozen=True, eq=False)
class Solved:
    """The answer to a program.

    Attributes:
        x: (variables,) the answer.
        value: c x.
        bound: No answer is worth more: the dual value of a linear program, the best bound of a
            whole-numbered one.
        duals: (rows,) what one unit more of each bound is worth; only of linear programs.
        spare: (variables,) what one unit more of each variable costs beyond its worth, above 0
            where it is not taken; likewise.
    """

    x: Array
    value: float
    bound: float
    duals: Array
    spare: Array

    @property
    def gap(self) -> float:
        """The duality gap, relative to the bound."""
        return (self.bound - self.value) / max(1.0, abs(self.bound))


def linear(
    c: Array, rows: Any, low: Array, high: Array, upper: Array, deadline: Deadline = NEVER
) -> Solved:
    """A corner of the best face of a linear program.

    Args:
        c: (variables,) worth.
        rows: (rows, variables) dense or sparse.
        low: (rows,) lower bounds, -inf for none; equal to ``high`` in an equation.
        high: (rows,) upper bounds, inf for none.
        upper: (variables,) upper bounds, inf for none.
        deadline: When to give up.

    Raises:
        OutOfTimeError: Where the deadline came first: until it is solved, there is no answer.
    """
    optimise = scipy("optimize")
    equal = low == high
    above = ~equal & np.isfinite(high)
    below = ~equal & np.isfinite(low)
    stacked = _stack([rows[np.flatnonzero(above)], -rows[np.flatnonzero(below)]])
    answer = optimise.linprog(
        -c,
        A_ub=stacked if stacked.shape[0] else None,
        b_ub=np.concatenate([high[above], -low[below]]) if stacked.shape[0] else None,
        A_eq=rows[np.flatnonzero(equal)] if equal.any() else None,
        b_eq=low[equal] if equal.any() else None,
        bounds=np.column_stack([np.zeros(len(c)), upper]),
        method="highs-ds",
        options=deadline.options,
    )
    if answer.status == 1 and deadline.over():
        raise OutOfTimeError
    if answer.status != 0:
        raise BackendError(f"HiGHS left a linear program unsolved: {answer.message}")
    duals = np.zeros(len(low))
    count = int(above.sum())
    if stacked.shape[0]:
        duals[above] -= answer.ineqlin.marginals[:count]
        duals[below] += answer.ineqlin.marginals[count:]
    if equal.any():
        duals[equal] = -answer.eqlin.marginals
    spare = rows.T @ duals - c
    return Solved(
        answer.x, float(c @ answer.x), _dual_value(duals, spare, low, high, upper), duals, spare
    )


def whole(
    c: Array,
    rows: Any,
    low: Array,
    high: Array,
    upper: Array,
    integral: Array,
    *,
    gap: float = GAP,
    nodes: int | None = None,
    deadline: Deadline = NEVER,
) -> Solved | None:
    """The best answer whose ``integral`` variables are whole numbers.

    None where there is none, or none was found. It is within ``gap`` of its bound, relative to it,
    unless ``nodes`` of the search were too few, or the deadline came first: then the bound says how
    far it may be off.
    """
    optimise = scipy("optimize")
    limits: dict[str, Any] = {"mip_rel_gap": gap, **deadline.options}
    if nodes is not None:
        limits["node_limit"] = nodes
    answer = optimise.milp(
        -c,
        constraints=optimise.LinearConstraint(rows, low, high),
        bounds=optimise.Bounds(0, upper),
        integrality=integral.astype(np.int64),
        options=limits,
    )
    cut = answer.status == 1 and deadline.over()
    # status 2 is "infeasible"; with a limit nothing may have been found in time
    if answer.status == 2 or ((nodes is not None or cut) and answer.x is None):
        return None
    if answer.x is None:
        raise BackendError(f"HiGHS left a whole-numbered program unsolved: {answer.message}")
    x = np.where(integral, np.round(answer.x), answer.x)
    none = np.empty(0)
    return Solved(x, float(c @ x), -float(answer.mip_dual_bound), none, none)


def assigned(worth: Array) -> Array:
    """(rows,) the column of each row in an assignment of most worth.

    ``worth`` (rows, columns) has no fewer columns than rows.
    """
    return scipy("optimize").linear_sum_assignment(worth, maximize=True)[1]


def _dual_value(duals: Array, spare: Array, low: Array, high: Array, upper: Array) -> float:
    """The bound that duals prove.

    Each row stands at the end its sign asks for, each variable at its upper bound where that pays.
    """
    ends = np.where(duals > 0, high, low)
    gain = np.maximum(-spare, 0.0)
    gain[gain < 1e-9] = 0.0  # rounding of the solver, where a variable has no upper bound
    return float(
        (duals[duals != 0] * ends[duals != 0]).sum() + (gain[gain > 0] * upper[gain > 0]).sum()
    )


def _stack(parts: list[Any]) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.vstack(parts)
    return scipy("sparse").vstack(parts, format="csr")


def scipy(part: str) -> Any:
    """A part of scipy, which is an extra."""
    try:
        return import_module(f"scipy.{part}")
    except ModuleNotFoundError as error:
        raise MissingExtra("A reranker that solves programs", EXTRA) from error
