import { promises as fs } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const calls = ["open", "stat", "lstat", "realpath", "readdir"] as const;
const codes = ["EIO", "EMFILE", "ESTALE"] as const;

/** The file system, with one failing call. */
export interface FileFaults {
  /** Makes the `n`-th call from now (starting at 1) about something in the folder fail. */
  failNext(n: number): void;
  /** Makes each call about this path fail from now on, as on a damaged disk. */
  failAt(path: string): void;
  /** The call that failed since `failNext`; undefined if none has. */
  failed(): string | undefined;
  /** Restores everything. */
  undo(): void;
}

/**
 * Intercepts the Node calls that find and read files in a folder, including calls on open files. The errors are those of an unreachable
 * share and of too many open files.
 */
export function fileFaults(folder: string): FileFaults {
  let left = Number.POSITIVE_INFINITY;
  let failed: string | undefined;
  let failures = 0;
  let damaged: string | undefined;
  const look = (call: string, path: string): void => {
    left -= 1;
    if (left !== 0 && path !== damaged) return;
    const code = codes[failures % codes.length] as string;
    failures += 1;
    failed = `${call} (${code})`;
    throw Object.assign(new Error(`${code}: made to fail, ${call} '${path}'`), { code, syscall: call, path });
  };
  const originals = calls.map((name) => [name, fs[name]] as const);
  for (const [name, original] of originals) {
    const wrapped = async (...args: unknown[]): Promise<unknown> => {
      const path = String(args[0]);
      // Files that are being uploaded are not read by homesec.
      const isInside = path.startsWith(folder) && !path.endsWith(".part");
      if (isInside) look(name, path);
      const answer = await (original as (...given: unknown[]) => Promise<unknown>)(...args);
      return name === "open" && isInside ? watched(answer as fs.FileHandle, path, look) : answer;
    };
    Object.assign(fs, { [name]: wrapped });
  }
  syncBuiltinESMExports();
  return {
    failNext: (n) => {
      left = n;
      failed = undefined;
    },
    failAt: (path) => {
      damaged = path;
    },
    failed: () => failed,
    undo: () => {
      for (const [name, original] of originals) Object.assign(fs, { [name]: original });
      syncBuiltinESMExports();
    },
  };
}

/** The same open file, with its reads counted. */
function watched(file: fs.FileHandle, path: string, look: (call: string, path: string) => void): fs.FileHandle {
  for (const name of ["read", "stat"] as const) {
    const original = file[name].bind(file) as (...given: unknown[]) => Promise<unknown>;
    Object.assign(file, {
      [name]: async (...args: unknown[]) => {
        look(`${name} of an open file`, path);
        return await original(...args);
      },
    });
  }
  return file;
}
