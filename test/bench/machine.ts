import { cpus, release, totalmem, type } from "node:os";

/** Describes the machine's speed without identifying it. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  return `${model}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB of memory, ${type()} ${release().split("-")[0]}, Node ${process.version}`;
}
