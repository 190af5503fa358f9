import { typable } from "../../src/base/text/format.ts";
import { exitCodes } from "../exit-codes.ts";
import { calledAs, type Host } from "../host.ts";
import { suggestion } from "../input/suggest.ts";
import { wrapping } from "../output/wrap.ts";
import { commandsFor, nouns } from "../registry.ts";
import { topics } from "./topics.ts";

/**
 * Handles `homesec help`. Returns the arguments that print the help of a command, or an exit code after printing a topic or an
 * error.
 */
export async function help(words: readonly string[], host: Host): Promise<readonly string[] | number> {
  const asked = words.filter((word) => !word.startsWith("-"));
  const topic = topics.find(({ name }) => asked.length === 1 && name === asked[0]);
  if (topic) {
    wrapping(host.stdout).write(typable(topic.text(), calledAs(host)));
    return exitCodes.ok;
  }
  const names = [...nouns, ...(await commandsFor(asked))].map(({ name }) => name);
  const groups = nouns.flatMap(({ name, groups: own = [] }) => own.map((group) => `${name} ${group.name}`));
  const paths = new Set([...names, ...groups]);
  for (let length = asked.length; length > 0; length -= 1) {
    const path = asked.slice(0, length).join(" ");
    const parent = asked.slice(0, length - 1).join(" ");
    if (paths.has(path)) continue;
    if (parent !== "" && !paths.has(parent)) continue;
    const beside = [...paths].filter((name) => name.split(" ").slice(0, -1).join(" ") === parent);
    const last = [...beside.map((name) => name.split(" ").at(-1) ?? ""), ...(parent === "" ? topics.map(({ name }) => name) : [])];
    const guess = suggestion(asked[length - 1] ?? "", last);
    const hint = guess === undefined ? "" : `; did you mean \`homesec help ${[...asked.slice(0, length - 1), guess].join(" ")}\`?`;
    const message = `homesec: unknown command ${parent === "" ? "or topic " : ""}${path}${hint}\n\`homesec ${["help", ...asked.slice(0, length - 1)].join(" ")}\` lists the commands.\n`;
    wrapping(host.stderr).write(typable(message, calledAs(host)));
    return exitCodes.usage;
  }
  return [...asked, "--help"];
}
