import type { VariableName } from "./variables.ts";

/** Variables that are read and checked, but on which nothing acts in this version: who sets one is told so. */
export const notYet: ReadonlySet<VariableName> = new Set<VariableName>();
