import { type ChildProcess, fork } from "node:child_process";

/** A child process that answers one message at a time: load, clients and baselines must not share homesec's or the driver's thread. */
export interface Child<Question, Answer> {
  readonly pid: number;
  /** Rejects with the error of the process, or when it ends. */
  ask(question: Question): Promise<Answer>;
  stop(): Promise<void>;
}

type Reply<Answer> = { readonly answer: Answer } | { readonly error: string };

/** Starts `processes/<name>.mjs`, with its output in ours. Stop it at the end. */
export function startChild<Question, Answer>(name: string): Child<Question, Answer> {
  const child: ChildProcess = fork(new URL(`./processes/${name}.mjs`, import.meta.url), { serialization: "advanced", stdio: "inherit" });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  if (child.pid === undefined) throw new Error(`${name} could not be started`);
  return {
    pid: child.pid,
    ask: (question) =>
      new Promise((resolve, reject) => {
        const onEnd = (): void => reject(new Error(`${name} ended`));
        child.once("exit", onEnd);
        child.once("message", (reply: Reply<Answer>) => {
          child.off("exit", onEnd);
          if ("error" in reply) reject(new Error(`${name}: ${reply.error}`));
          else resolve(reply.answer);
        });
        child.send(question as object);
      }),
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}
