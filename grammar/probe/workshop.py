"""The workshop of a probe: the dialect's MLIR, its verifier, its lowering, its executor."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from raising.grammar.crosscheck.crosscheck import RANGES, Executor, Job
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.target_dialect import Target
from raising.grammar.measure.instance_reading import Reading
from raising.grammar.measure.lower_instance import Lowering
from raising.grammar.measure.recognise_semantics import read
from raising.grammar.measure.tracer import Trace
from raising.grammar.measure.verifier import Instance, Verifier
from raising.grammar.measure.workbench import NotStructured
from raising.grammar.probe.templates import truthful
from raising.grammar.terms.structured_op import Production
from raising.support.record import dataclass


@dataclass(frozen=True)
class Workshop:
    """The tools of every probe: the dialect's MLIR, its verifier and its lowering."""

    target: Target
    host: Host
    verifier: Verifier
    lowering: Lowering
    executor: Executor

    def read(self, instance: Instance) -> tuple[Reading, Trace]:
        """The reading of an accepted instance, by its lowering alone."""
        if not self.verifier.journal.note(f"lower {_signed(instance)}"):
            raise NotStructured("its lowering ends the process")
        trace = self.lowering.trace(instance.text())
        return read(trace), trace

    def lowers(self, instance: Instance) -> bool:
        """True if the pipeline accepts an instance."""
        if not self.verifier.journal.note(f"lower {_signed(instance)} {[len(t.shape) for t in instance.types()]}"):
            return False
        try:
            self.lowering.lowered(instance.text())
        except NotStructured:
            return False
        return True

    def check(self, jobs: Sequence[Job]) -> list[str]:
        """Per job, nothing if the executor agrees, else the reason; one group of element types after the other."""
        answers = []
        for _, group in groupby(jobs, lambda job: _signed(job.instance)):
            some = list(group)
            runs = self.verifier.journal.note(f"run {_signed(some[0].instance)}")
            answers += self.executor.check(some, RANGES) if runs else ["the executor ends"] * len(some)
        return answers

    def checked(self, instance: Instance) -> Reading:
        """The reading of an instance, after comparison with the executor."""
        reading, trace = self.read(instance)
        (why,) = self.check([Job(instance, reading, trace)])
        if why:
            raise NotStructured(why)
        return reading


def _signed(instance: Instance) -> str:
    return f"{instance.op.full_name} {[t.element for t in instance.types()]}"


def produced(instance: Instance, reading: Reading) -> Production:
    """The production that an instance and its reading make."""
    assert instance.result is not None
    kinds = [t.element for t in instance.operands]
    roles: list[str] = []
    for k in range(len(kinds)):
        if k in reading.arguments:
            roles.append(str(reading.arguments.index(k)))
        elif k == reading.start:
            roles.append("init")
        else:
            raise NotStructured("an operand has no part in the result")
    elements = (*(kinds[k] for k in reading.arguments), instance.result.element)
    if not truthful(elements, reading.meaning.body):
        raise NotStructured("computes with truth values as signed integers")
    zero = "tensor" if not reading.family and () in reading.meaning.maps[:-1] else ""
    return Production(
        instance.op.full_name,
        tuple(sorted(instance.attrs)),
        elements,
        reading.meaning,
        zero_rank=zero,
        operands=(*roles, *instance.bound),
        units=reading.units if any(reading.units) else (),
        region=instance.region,
        family=reading.family,
    )
