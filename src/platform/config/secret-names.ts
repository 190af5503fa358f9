import { commandLineVariables, variable, variableNames } from "./variables.ts";

/** Variables whose values are secrets, or addresses that may hold a password; those of commands included. */
export const secretNames: readonly string[] = [
  ...variableNames.filter((name) => variable(name).secret || ["DATABASE_URL", "REDIS_URL"].includes(name)),
  ...Object.keys(commandLineVariables).filter((name) => /KEY|SECRET/.test(name)),
];
