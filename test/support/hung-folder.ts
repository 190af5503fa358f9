import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/** The calls by which files are looked at. */
const names = ["access", "lstat", "mkdir", "open", "readdir", "realpath", "stat", "statfs"] as const;
type Call = (path: unknown, ...rest: unknown[]) => Promise<unknown>;

/** A folder whose disk does not answer. */
export interface HungFolder {
  /** Questions that wait for their answer now. */
  readonly waiting: number;
  /** Has it answer all that was asked meanwhile, and from now on. */
  answer(): void;
}

/** Has the file system leave everything unanswered that is asked of a folder and of what lies in it, as a share whose server is away. */
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
    // what was imported by name follows
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
