import { notFound, Problem } from "../../src/contract/problem.ts";
import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import { uuidOf } from "../../src/contract/values.ts";
import { mostRows } from "../input/options.ts";
import { similarName } from "../input/similar-id.ts";
import type { Io } from "../io.ts";
import { pages } from "../output/pages.ts";

export type Rule = Reply<Routes["getRule"]>;

/** All rules, however many. */
export async function allRules(io: Io): Promise<readonly Rule[]> {
  const all: Rule[] = [];
  for await (const body of pages(mostRows, (page) => io.call("listRules", { query: page }))) all.push(...body.items);
  return all;
}

/** The rule that a person means by its id or its exact name. Throws `Problem` for none, and for several of the same name. */
export async function findRule(io: Io, idOrName: string): Promise<Rule> {
  if (uuidOf(idOrName)) return await io.call("getRule", { params: { id: idOrName } });
  const all = await allRules(io);
  const found = all.filter(({ name }) => name === idOrName);
  const [rule, ...others] = found;
  if (!rule) {
    const guess = similarName(idOrName, all);
    throw notFound("Rule", JSON.stringify(idOrName), `${guess}\`homesec rules list\` shows their names and ids`);
  }
  if (others.length > 0) {
    const ids = found.map(({ id }) => id).join(", ");
    throw new Problem("conflict", `${found.length} rules are named ${JSON.stringify(idOrName)}; say which by its id: ${ids}`);
  }
  return rule;
}
