import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/** File system calls that access files by path. */
const names = ["access", "lstat", "mkdir", "open", "readdir", "realpath", "stat", "statfs"] as const;
type Call = (path: unknown, ...rest: unknown[]) => Promise<unknown>;

/** A folder on a disk that does not answer. */
export interface HungFolder {
  /** Number of calls waiting for an answer. */
  readonly waiting: number;
  /** Answers all waiting calls, and all calls from now on. */
  answer(): void;
}

/** Makes the file system leave all calls for a folder and its content unanswered, like a share whose server is down. */
export function hangFolder(folder: string): HungFolder {
  const originals = Object.fromEntries(names.map((name) => [name, promises[name] as Call]));
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let waiting = 0;
  const hanging = (original: Call): Call => {
    return async (path, ...rest) => {
      if (String(path) === folder || String(path).startsWith(`${folder}/`)) {
        waiting += 1;
        await answered;
        waiting -= 1;
      }
      return await original(path, ...rest);
    };
  };
  const put = (calls: Readonly<Record<string, Call>>): void => {
    Object.assign(promises, calls);
    // Named imports see the change too.
    syncBuiltinESMExports();
  };
  put(Object.fromEntries(Object.entries(originals).map(([name, original]) => [name, hanging(original)])));
  return {
    get waiting() {
      return waiting;
    },
    answer: () => {
      put(originals);
      answer();
    },
  };
}
