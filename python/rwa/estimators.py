"""Estimators with the protocol of scikit-learn, which need not be there.

>>> model = rwa.SequenceClassifier(units=32, random_state=1)
>>> model.fit(X, y)                 # X: a list of arrays [T, D] of any lengths
>>> model.predict(X_new)
>>> sklearn.model_selection.cross_val_score(model, X, y)
"""

from __future__ import annotations

import difflib
import functools
import importlib.util
import inspect
import itertools
import os
from typing import Any, ClassVar, Iterable

from ._errors import ConfigError, InputError
from ._from_arrays import guess_task
from ._settings import settings
from ._values import plain
from .model import Model
from .sequences import Sequences
from .training import Callback, known, predict, train


# Parameters that are no settings of the program, or are called otherwise here.
_OWN_NAMES = ("time_budget", "random_state", "threads", "layout", "callback")
_OTHER_NAMES = ("seed", "name")


class _Estimator:
    """What the three have in common. X is a list of sequences, an array with a `layout`, or
    rwa.Sequences; see Sequences.from_arrays. y may be left out where X has answers itself.

    Parameters are the settings of `rwa train` (see `rwa.settings()`), kept as they are given; None is
    what the program chooses. Beside those there are
        threads, time_budget: how many, and after how many seconds training ends.
        random_state: the program's seed: the same one, the same bits, for any number of threads.
        layout: of X that are arrays of three dimensions: "ntc", "nct" or "tnc".
        callback: is told how far the training is, {"step", "steps", "loss", "score",
            "seconds_left"}, and ends it by returning True.

    After fit there are `model_` (an rwa.Model), `history_` (all scores on the way), `end_` (why
    training ended: "steps", "patience", "time" or "asked"), `n_features_in_` and, where there are
    classes, `classes_`.
    """

    _tasks: ClassVar[tuple[str, ...]]
    layout: str | None
    callback: Callback | None
    random_state: int | None
    device: str | None
    threads: int | None

    def __init__(self, **parameters: Any) -> None:
        vars(self).update(dict.fromkeys(self._parameter_names()))
        self.set_params(**parameters)

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def _parameter_names() -> tuple[str, ...]:
        of_program = [s.name for s in settings() if s.of_sequences and s.name not in _OTHER_NAMES]
        return (*of_program, *_OWN_NAMES)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by name. None of them has parameters itself, whatever `deep` says."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **parameters: Any) -> Any:
        known_names = self._parameter_names()
        for name, value in parameters.items():
            if name not in known_names:
                near = difflib.get_close_matches(name, known_names, 1)
                meant = f"did you mean {near[0]}?" if near else f"expected one of: {', '.join(known_names)}"
                raise ConfigError(f"{type(self).__name__} has no parameter {name!r}, {meant}")
            setattr(self, name, value)
        return self

    def fit(self, X: Any, y: Any = None, validation_data: Any = None) -> Any:
        """Trains anew. `validation_data`, (X, y) or rwa.Sequences, decides when training ends and
        which weights are kept; without it, a share of X does, which `split` says."""
        _require_numpy()
        sequences = self._sequences(X, y, answered=True)
        valid = None
        if validation_data is not None:
            pair = isinstance(validation_data, tuple) and len(validation_data) == 2
            X_valid, y_valid = validation_data if pair else (validation_data, None)
            valid = self._sequences(X_valid, y_valid, answered=True)
        given = self.get_params()
        del given["layout"], given["callback"]
        given["seed"] = given.pop("random_state")
        trained = train(sequences, valid, callback=self.callback, **given)
        self._take(trained.model)
        self.history_ = trained.history
        self.end_ = trained.end
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """The model alone, as a file that `rwa predict` and the other commands take."""
        self._fitted().save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Any:
        """From such a file, or from the folder that `rwa train` has written it to."""
        estimator = cls()
        estimator._take(Model.load(path))
        estimator.history_ = []
        return estimator

    def __repr__(self) -> str:
        given = {name: value for name, value in self.get_params().items() if value is not None}
        text = ", ".join(f"{name}={value!r}" for name, value in given.items())
        return f"{type(self).__name__}({text})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        """For scikit-learn 1.6 and later, which has been imported then."""
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags

        kind = getattr(self, "_estimator_type", None)
        return Tags(
            estimator_type=kind,
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if kind == "classifier" else None,
            regressor_tags=RegressorTags() if kind == "regressor" else None,
            input_tags=InputTags(two_d_array=False, three_d_array=True),
        )

    def _take(self, model: Model) -> None:
        about = known(model)
        if about.task not in self._tasks:
            raise ConfigError(
                f"{type(self).__name__}: found a model for the task {about.task}, expected "
                f"{' or '.join(self._tasks)}"
            )
        self.model_ = model
        self.n_features_in_ = 1 if about.of_symbols else len(about.features)
        self._task = about.task
        if about.task in ("class", "labels", "class-per-step"):
            import numpy

            classes = numpy.array(about.outputs)
            # scikit-learn takes them to be in the order of numpy.unique, in which "10" is before "9".
            self._order = numpy.argsort(classes)
            self.classes_ = classes[self._order]

    def _fitted(self) -> Model:
        if not hasattr(self, "model_"):
            raise ConfigError(f"this {type(self).__name__} is not fitted: call fit or load first")
        return self.model_

    def _sequences(self, X: Any, y: Any, *, answered: bool = False) -> Sequences:
        if isinstance(X, Sequences) and y is None:
            sequences = X
        else:
            task = self._guess_task(y) if answered and y is not None else None
            sequences = Sequences.from_arrays(X, y, layout=self.layout, task=task)
        if answered and sequences.task not in self._tasks:
            raise InputError(
                f"{type(self).__name__}: found answers for the task {sequences.task}, expected "
                f"{' or '.join(self._tasks)}"
            )
        return sequences

    def _guess_task(self, y: Any) -> str:
        return self._tasks[0]

    def _answers(self, X: Any) -> list[Any]:
        model = self._fitted()
        sequences = self._sequences(X, None)
        if len(sequences) == 0:  # which says nothing about features
            return []
        answers = predict(model, sequences, threads=self.threads, device=self.device)
        return [one[..., self._order] for one in answers] if hasattr(self, "classes_") else answers

    def _expected(self, X: Any, y: Any) -> list[Any]:
        """The answers that a score compares with."""
        if y is not None:
            return list(y)
        return self._sequences(X, None, answered=True).y

    def _require_kind(self, labels: Iterable[Any]) -> None:
        """A text is never equal to a number: such a score would be 0 without a word."""
        of_texts = self.classes_.dtype.kind == "U"
        for label in labels:
            if isinstance(label, str) != of_texts:
                kinds = ("numbers", "texts") if of_texts else ("texts", "numbers")
                raise InputError(
                    f"y has {kinds[0]} such as {label!r}, expected {kinds[1]}, as "
                    f"classes_ has: {self.classes_[:3].tolist()}"
                )


def _signature() -> inspect.Signature:
    """For help() and tools that complete names: the list of settings is the library's."""
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
        for name in _Estimator._parameter_names()
    ]
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return inspect.Signature([itself, *keywords])


_Estimator.__init__.__signature__ = _signature()  # type: ignore[attr-defined]


class SequenceClassifier(_Estimator):
    __doc__ = f"""Says which class a sequence is, or, where y has sets, which labels it has.

    {_Estimator.__doc__}"""

    _estimator_type = "classifier"
    _tasks = ("class", "labels")

    def predict(self, X: Any) -> Any:
        """The class of each sequence; of labels, a set of those that are more likely than not."""
        answers = self.predict_proba(X)
        if self._task == "class":
            return self.classes_[answers.argmax(1)]
        return [set(self.classes_[row > 0.5].tolist()) for row in answers]

    def predict_proba(self, X: Any) -> Any:
        """[N, classes], in the order of `classes_`."""
        import numpy

        return numpy.array(self._answers(X)).reshape(-1, len(self.classes_))

    def score(self, X: Any, y: Any = None) -> float:
        """The share of sequences with the right class, or exactly the right labels."""
        expected, found = self._expected(X, y), self.predict(X)
        if self._task == "labels":
            expected = [set(answer) for answer in expected]
        self._require_kind(itertools.chain(*expected) if self._task == "labels" else expected)
        return _share_of_equal(expected, found)

    def _guess_task(self, y: Any) -> str:
        if len(getattr(y, "shape", ())) > 1:
            raise InputError(
                f"y has shape {tuple(y.shape)}, expected for each sequence a class or a set of labels"
            )
        several = any(isinstance(answer, (set, frozenset, tuple, list)) for answer in y)
        return "labels" if several else "class"


class SequenceRegressor(_Estimator):
    __doc__ = f"""Says a number, or several, of a sequence: y is [N] or [N, K].

    {_Estimator.__doc__}"""

    _estimator_type = "regressor"
    _tasks = ("numbers",)

    def predict(self, X: Any) -> Any:
        """[N], or of several numbers [N, K]."""
        import numpy

        outputs = self._fitted().config["outputs"]
        answers = numpy.array(self._answers(X)).reshape(-1, outputs)
        return answers[:, 0] if outputs == 1 else answers

    def score(self, X: Any, y: Any = None) -> float:
        """R², the mean of those of all numbers."""
        return _r2(self._expected(X, y), self.predict(X))


class SequenceTagger(_Estimator):
    __doc__ = f"""Says a class, or numbers, of every step: y has a list for each sequence.

    Texts and whole numbers are classes, others numbers.

    {_Estimator.__doc__}"""

    _tasks = ("class-per-step", "numbers-per-step")

    def predict(self, X: Any) -> list[Any]:
        """For each sequence an array: [T], or of several numbers [T, K]."""
        answers = self._answers(X)
        if self._task == "class-per-step":
            return [self.classes_[steps.argmax(1)] for steps in answers]
        return [steps[:, 0] if steps.shape[1] == 1 else steps for steps in answers]

    def predict_proba(self, X: Any) -> list[Any]:
        """For each sequence [T, classes], in the order of `classes_`."""
        self._fitted()
        if self._task != "class-per-step":
            raise ConfigError("found a model that says numbers, expected one that says classes")
        return self._answers(X)

    def score(self, X: Any, y: Any = None) -> float:
        """The share of steps with the right class; of numbers, R² over all steps."""
        import numpy

        expected, found = self._expected(X, y), self.predict(X)
        lengths = [len(one) for one in expected], [len(one) for one in found]
        if lengths[0] != lengths[1]:
            raise InputError("y has other lengths than X, expected an answer for each step")
        steps = [answer for one in expected for answer in one]
        if self._task == "class-per-step":
            self._require_kind(steps)
        score = _share_of_equal if self._task == "class-per-step" else _r2
        return score(steps, numpy.concatenate(found))

    def _guess_task(self, y: Any) -> str:
        answers = [plain(one) for one in y]
        if not all(isinstance(one, (list, tuple)) for one in answers):
            raise InputError("y has single answers, expected a list with one for each step")
        return guess_task(answers, [len(one) for one in answers])


def _require_numpy() -> None:
    """Before anybody has waited for a training."""
    if importlib.util.find_spec("numpy") is None:
        raise ConfigError(
            "found no NumPy, expected it for estimators: their answers are its arrays"
        )


def _share_of_equal(expected: list[Any], found: Any) -> float:
    if len(expected) != len(found):
        raise InputError(f"y has {len(expected)} answers, expected {len(found)}")
    if not expected:
        raise InputError("there are no sequences to score, expected at least one")
    return sum(bool(a == b) for a, b in zip(expected, found)) / len(expected)


def _r2(expected: Any, found: Any) -> float:
    import numpy

    y, answers = numpy.asarray(expected, float), numpy.asarray(found, float)
    if y.shape != answers.shape:
        raise InputError(f"y has shape {y.shape}, expected {answers.shape}")
    y, answers = y.reshape(len(y), -1), answers.reshape(len(y), -1)
    rest = ((y - answers) ** 2).sum(0)
    spread = ((y - y.mean(0)) ** 2).sum(0)
    same = spread == 0  # where nothing varies, all that counts is whether it was said
    return float(numpy.where(same, rest == 0, 1 - rest / numpy.where(same, 1, spread)).mean())
