"""Estimators that follow the scikit-learn protocol; scikit-learn itself is not required.

>>> model = rwa.SequenceClassifier(units=32, random_state=1)
>>> model.fit(X, y)                 # X: a list of arrays [T, D] of different lengths
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
from ._progress import Callback
from ._settings import settings
from ._values import plain
from .model import Model
from .sequences import Sequences
from .training import known, predict, train


# Parameters that are not settings of the program or have other names here.
_OWN_NAMES = ("time_budget", "random_state", "threads", "layout", "callback", "verbose")
_OTHER_NAMES = ("seed", "name")


class _Estimator:
    """X is a list of sequences, an array with a `layout`, or an rwa.Sequences; see
    `Sequences.from_arrays`. y may be omitted if X already has targets.

    Parameters
    ----------
    threads : int, optional
        Number of CPU threads.
    time_budget : float, optional
        Stop training after this many seconds and keep the best weights.
    random_state : int, optional
        Random seed. The same seed gives bit-identical results with any number of threads.
    layout : {"ntc", "nct", "tnc"}, optional
        Order of the axes of X if it is a 3-D array (n: sequence, t: time, c: channel).
    callback : callable, optional
        Called during training with {"step", "steps", "loss", "score", "seconds_left"}; returns True
        to stop.
    verbose : int, optional
        1: print a line for every score of the training.
    **settings
        Any setting of `rwa train`; see `rwa.settings()`. None leaves the choice to rwa.

    Attributes
    ----------
    model_ : rwa.Model
        The trained model.
    history_ : list of dict
        All scores of the training.
    baselines_ : list of dict
        Scores of predictions without a network, on the same held-out data as the final score.
    remark_ : str
        That the model is not better than its best baseline; else empty.
    end_ : str
        Why training ended: "steps", "patience", "time" or "stopped" (by the callback).
    n_features_in_ : int
        Number of features.
    classes_ : numpy.ndarray
        Classes or labels, only for classification.
    """

    _tasks: ClassVar[tuple[str, ...]]
    layout: str | None
    callback: Callback | None
    verbose: int | None
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
        """Return all parameters by name. `deep` has no effect: there are no nested estimators."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **parameters: Any) -> Any:
        """Set parameters by name and return self."""
        known_names = self._parameter_names()
        for name, value in parameters.items():
            if name not in known_names:
                near = difflib.get_close_matches(name, known_names, 1)
                meant = f"did you mean {near[0]}?" if near else f"expected one of: {', '.join(known_names)}"
                raise ConfigError(f"{type(self).__name__} has no parameter {name!r}, {meant}")
            setattr(self, name, value)
        return self

    def fit(
        self, X: Any, y: Any = None, validation_data: Any = None, verbose: int | None = None
    ) -> Any:
        """Train from scratch and return self.

        Parameters
        ----------
        X : list, array or Sequences
            Training data.
        y : list or array, optional
            Targets.
        validation_data : tuple (X, y) or Sequences, optional
            Validation set for early stopping. Default: a share of X (parameter `split`); none for
            fewer than 500 sequences, which train for a fixed number of steps.
        verbose : int, optional
            1: print a line for every score. Default: the parameter `verbose`.
        """
        _require_numpy()
        sequences = self._sequences(X, y, answered=True)
        valid = None
        if validation_data is not None:
            pair = isinstance(validation_data, tuple) and len(validation_data) == 2
            X_valid, y_valid = validation_data if pair else (validation_data, None)
            valid = self._sequences(X_valid, y_valid, answered=True)
        given = self.get_params()
        del given["layout"], given["callback"], given["verbose"]
        given["seed"] = given.pop("random_state")
        chosen = self.verbose if verbose is None else verbose
        trained = train(sequences, valid, callback=self.callback, verbose=chosen or 0, **given)
        self._take(trained.model)
        self.history_ = trained.history
        self.baselines_, self.remark_ = trained.baselines, trained.remark
        self.end_ = trained.end
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model as a file for `load` and for the program, such as `rwa predict`."""
        self._fitted().save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Any:
        """Load a model from a file or from a run folder of `rwa train`."""
        estimator = cls()
        estimator._take(Model.load(path))
        estimator.history_ = []
        estimator.baselines_, estimator.remark_ = [], ""
        return estimator

    def __repr__(self) -> str:
        given = {name: value for name, value in self.get_params().items() if value is not None}
        text = ", ".join(f"{name}={value!r}" for name, value in given.items())
        return f"{type(self).__name__}({text})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        """Return the tags for scikit-learn 1.6 and later, the only caller."""
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
                f"{type(self).__name__}: found a model for task {about.task}, expected "
                f"{' or '.join(self._tasks)}"
            )
        self.model_ = model
        self.n_features_in_ = 1 if about.of_symbols else len(about.features)
        self._task = about.task
        if about.task in ("class", "labels", "class-per-step"):
            import numpy

            classes = numpy.array(about.outputs)
            # scikit-learn expects the order of numpy.unique, in which "10" comes before "9".
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
                f"{type(self).__name__}: found data for task {sequences.task}, expected "
                f"{' or '.join(self._tasks)}"
            )
        return sequences

    def _guess_task(self, y: Any) -> str:
        return self._tasks[0]

    def _answers(self, X: Any) -> list[Any]:
        model = self._fitted()
        sequences = self._sequences(X, None)
        if len(sequences) == 0:  # the features are unknown and could not be checked
            return []
        answers = predict(model, sequences, threads=self.threads, device=self.device)
        return [one[..., self._order] for one in answers] if hasattr(self, "classes_") else answers

    def _expected(self, X: Any, y: Any) -> list[Any]:
        """Return the targets to score against."""
        if y is not None:
            return list(y)
        return self._sequences(X, None, answered=True).y

    def _require_kind(self, labels: Iterable[Any]) -> None:
        """Reject labels of another type: a string never equals a number, and the score is 0."""
        of_texts = self.classes_.dtype.kind == "U"
        for label in labels:
            if isinstance(label, str) != of_texts:
                kinds = ("numbers", "strings") if of_texts else ("strings", "numbers")
                raise InputError(
                    f"y has {kinds[0]} such as {label!r}, expected {kinds[1]} like those of "
                    f"classes_: {self.classes_[:3].tolist()}"
                )


def _signature() -> inspect.Signature:
    """Return the signature for help() and tab completion; the library lists the settings."""
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
        for name in _Estimator._parameter_names()
    ]
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return inspect.Signature([itself, *keywords])


_Estimator.__init__.__signature__ = _signature()  # type: ignore[attr-defined]


class SequenceClassifier(_Estimator):
    __doc__ = f"""Classify sequences. If y holds sets of labels, classification is multi-label.

    {_Estimator.__doc__}"""

    _estimator_type = "classifier"
    _tasks = ("class", "labels")

    def predict(self, X: Any) -> Any:
        """Predict the class of each sequence, or the set of labels with probability above 0.5."""
        answers = self.predict_proba(X)
        if self._task == "class":
            return self.classes_[answers.argmax(1)]
        return [set(self.classes_[row > 0.5].tolist()) for row in answers]

    def predict_proba(self, X: Any) -> Any:
        """Predict probabilities, [N, classes], in the order of `classes_`."""
        import numpy

        return numpy.array(self._answers(X)).reshape(-1, len(self.classes_))

    def score(self, X: Any, y: Any = None) -> float:
        """Return the accuracy: the share of sequences with the right class or set of labels."""
        expected, found = self._expected(X, y), self.predict(X)
        if self._task == "labels":
            expected = [set(answer) for answer in expected]
        self._require_kind(itertools.chain(*expected) if self._task == "labels" else expected)
        return _share_of_equal(expected, found)

    def _guess_task(self, y: Any) -> str:
        if len(getattr(y, "shape", ())) > 1:
            raise InputError(
                f"y has shape {tuple(y.shape)}, expected a class or a set of labels per sequence"
            )
        several = any(isinstance(answer, (set, frozenset, tuple, list)) for answer in y)
        return "labels" if several else "class"


class SequenceRegressor(_Estimator):
    __doc__ = f"""Predict one or several numbers per sequence: y is [N] or [N, K].

    {_Estimator.__doc__}"""

    _estimator_type = "regressor"
    _tasks = ("numbers",)

    def predict(self, X: Any) -> Any:
        """Predict the numbers: [N], or [N, K] for several targets."""
        import numpy

        outputs = self._fitted().config["outputs"]
        answers = numpy.array(self._answers(X)).reshape(-1, outputs)
        return answers[:, 0] if outputs == 1 else answers

    def score(self, X: Any, y: Any = None) -> float:
        """Return R², averaged over all targets."""
        return _r2(self._expected(X, y), self.predict(X))


class SequenceTagger(_Estimator):
    __doc__ = f"""Predict a class or numbers at every time step: y holds a list per sequence.

    Strings and integers are classes, other numbers are regression targets.

    {_Estimator.__doc__}"""

    _tasks = ("class-per-step", "numbers-per-step")

    def predict(self, X: Any) -> list[Any]:
        """Predict every step: an array per sequence, [T], or [T, K] for several targets."""
        answers = self._answers(X)
        if self._task == "class-per-step":
            return [self.classes_[steps.argmax(1)] for steps in answers]
        return [steps[:, 0] if steps.shape[1] == 1 else steps for steps in answers]

    def predict_proba(self, X: Any) -> list[Any]:
        """Predict probabilities: [T, classes] per sequence, in the order of `classes_`."""
        self._fitted()
        if self._task != "class-per-step":
            raise ConfigError("found a regression model, expected a classifier: use predict()")
        return self._answers(X)

    def score(self, X: Any, y: Any = None) -> float:
        """Return the accuracy over all steps; for regression, R² over all steps."""
        import numpy

        expected, found = self._expected(X, y), self.predict(X)
        lengths = [len(one) for one in expected], [len(one) for one in found]
        if lengths[0] != lengths[1]:
            raise InputError("the lengths in y and X differ, expected a target for each step")
        steps = [answer for one in expected for answer in one]
        if self._task == "class-per-step":
            self._require_kind(steps)
        score = _share_of_equal if self._task == "class-per-step" else _r2
        return score(steps, numpy.concatenate(found))

    def _guess_task(self, y: Any) -> str:
        answers = [plain(one) for one in y]
        if not all(isinstance(one, (list, tuple)) for one in answers):
            raise InputError("y has single targets, expected a list with one for each step")
        return guess_task(answers, [len(one) for one in answers])


class SequenceForecaster(_Estimator):
    __doc__ = f"""Forecast series of numbers: `fit(X)` and `predict(X)`, without y.

    X is a list of series, [T] or [T, D], a single one, or an rwa.Sequences. `predict` goes on
    from the end of each. `horizon`, `season` and `window` (the steps seen before a forecast) are
    chosen from the data if they are not set; `interval` is 0.8.

    >>> model = rwa.SequenceForecaster(horizon=12).fit(passengers)
    >>> model.predict(passengers)[0]             # the next twelve numbers
    >>> low, high = model.predict_interval(passengers)

    {_Estimator.__doc__}"""

    _tasks = ("forecast",)

    def predict(self, X: Any) -> list[Any]:
        """Forecast each series: [horizon], or [horizon, K] for several features."""
        return [_narrow(ranges[..., 1]) for ranges in self._answers(X)]

    def predict_interval(self, X: Any) -> tuple[list[Any], list[Any]]:
        """Return the lower and the upper ends of the intervals, with the shapes of `predict`."""
        answers = self._answers(X)
        return [_narrow(one[..., 0]) for one in answers], [_narrow(one[..., 2]) for one in answers]

    def score(self, X: Any, y: Any) -> float:
        """Return the mean absolute error of the forecasts that follow X, negated; y follows X."""
        import numpy

        found = self.predict(X)
        truth = [y] if len(found) == 1 and numpy.shape(y) == found[0].shape else list(y)
        shapes = [numpy.shape(one) for one in truth]
        if shapes != [one.shape for one in found]:
            raise InputError(
                f"score: found truths of the shapes {shapes}, expected "
                f"{[one.shape for one in found]}, like the forecasts"
            )
        return -float(numpy.mean([abs(numpy.asarray(b) - a).mean() for a, b in zip(found, truth)]))

    def _sequences(self, X: Any, y: Any, *, answered: bool = False) -> Sequences:
        if not isinstance(X, Sequences):
            import numpy

            is_one = isinstance(X, numpy.ndarray) and X.ndim == 2
            series = [X] if is_one or (len(X) > 0 and numpy.ndim(X[0]) == 0) else X
            X = [numpy.asarray(one, numpy.float32).reshape(len(one), -1) for one in series]
        return super()._sequences(X, y, answered=answered)

    def _take(self, model: Model) -> None:
        if known(model).horizon == 0:
            raise ConfigError("SequenceForecaster: found a model of another task than to forecast")
        super()._take(model)


def _narrow(numbers: Any) -> Any:
    """Drop the axis of features if there is one feature."""
    return numbers[:, 0] if numbers.shape[1] == 1 else numbers


def _require_numpy() -> None:
    """Fail before a long training rather than after it."""
    if importlib.util.find_spec("numpy") is None:
        raise ConfigError("estimators need NumPy, which is not installed")


def _share_of_equal(expected: list[Any], found: Any) -> float:
    if len(expected) != len(found):
        raise InputError(f"y has length {len(expected)}, expected {len(found)}")
    if not expected:
        raise InputError("found no sequences to score, expected at least one")
    return sum(bool(a == b) for a, b in zip(expected, found)) / len(expected)


def _r2(expected: Any, found: Any) -> float:
    import numpy

    y, answers = numpy.asarray(expected, float), numpy.asarray(found, float)
    if y.shape != answers.shape:
        raise InputError(f"y has shape {y.shape}, expected {answers.shape}")
    y, answers = y.reshape(len(y), -1), answers.reshape(len(y), -1)
    rest = ((y - answers) ** 2).sum(0)
    spread = ((y - y.mean(0)) ** 2).sum(0)
    same = spread == 0  # a constant target scores 1 if it is predicted exactly, otherwise 0
    return float(numpy.where(same, rest == 0, 1 - rest / numpy.where(same, 1, spread)).mean())
