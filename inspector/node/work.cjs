"use strict";

// The agents, tools and requests of frameworks, with what each of them is part of.

const { AsyncLocalStorage } = require("async_hooks");
const { described, isLeft, written } = require("./noted.cjs");

class Work {
  constructor(facts) {
    this.facts = facts;
    this.storage = new AsyncLocalStorage();
    // Return the innermost part of a framework that keeps it in a context of its own.
    this.others = [];
  }

  // The innermost part that is not over.
  get current() {
    let part = this.others.reduce((inner, other) => innermost(inner, other()), this.storage.getStore());
    while (part && part.isOver) part = part.outer;
    return part;
  }

  // Begins an agent, a tool or a request; undefined once the run is over.
  begin(noun, told, outer = this.current) {
    return this.facts.isWanted() ? new Part(this.facts, outer, { noun, ...told }) : undefined;
  }

  // Runs a function of which a part is made.
  within(part, run) {
    return part ? this.storage.run(part, run) : run();
  }
}

function innermost(one, other) {
  for (let part = one; part; part = part.outer) if (part === other) return one;
  return other || one;
}

class Part {
  constructor(facts, outer, { given, later, ...told }) {
    Object.assign(this, { facts, outer, id: facts.next(), isOver: false, at: facts.clock() });
    const open = (value) => this.write({ did: "opened", at: this.at, in: outer && outer.id, given: written(value), ...told });
    if (later) queueMicrotask(() => open(later()));
    else open(given);
  }

  write(fact) {
    this.facts.write({ call: this.id, ...fact });
  }

  ended(result) {
    this.over({ did: "closed", result: written(result) });
  }

  failed(error) {
    this.over(isLeft(error) ? { did: "stopped" } : { did: "broke", ...described(error) });
  }

  over(fact) {
    if (this.isOver) return;
    this.isOver = true;
    this.write(fact);
  }
}

// A function in place of another one, by the same name.
function inPlaceOf(original, act) {
  const named = { [original.name]: function (...given) { return act.call(this, given); } }[original.name];
  return Object.defineProperty(named, "length", { value: original.length });
}

module.exports = { Work, inPlaceOf };
