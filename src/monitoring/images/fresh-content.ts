import type { Version } from "./look.ts";

const defaultMostBytes = 8 * 1024 * 1024;
const defaultForMs = 2_000;
const sweepEveryMs = 500;

/** What was read of files that have just arrived, for who looks at them next. */
export interface FreshContent {
  /** Keeps the content of a file for a moment, unless there is much already. */
  keep(path: string, version: Version, content: Buffer): void;
  /** What is kept of this version of a file. It is not kept any more then. */
  take(path: string, version: Version): Buffer | undefined;
}

/**
 * Makes the place where the content of live pictures lies between the look at their completeness and the look for what they show, so that they
 * need not be read twice. Holds `mostBytes` at most; what is not taken within `forMs` goes.
 */
export function createFreshContent({ mostBytes = defaultMostBytes, forMs = defaultForMs } = {}): FreshContent {
  const kept = new Map<string, { readonly content: Buffer; readonly at: number }>();
  let bytes = 0;
  let isSweeping = false;

  const remove = (key: string): Buffer | undefined => {
    const content = kept.get(key)?.content;
    if (!content) return undefined;
    kept.delete(key);
    bytes -= content.length;
    return content;
  };

  const sweep = (): void => {
    isSweeping = false;
    const oldest = performance.now() - forMs;
    for (const [key, { at }] of kept) {
      if (at > oldest) break;
      remove(key);
    }
    sweepLater();
  };

  const sweepLater = (): void => {
    if (isSweeping || kept.size === 0) return;
    isSweeping = true;
    setTimeout(sweep, sweepEveryMs).unref();
  };

  return {
    keep: (path, version, content) => {
      const key = keyOf(path, version);
      remove(key);
      if (bytes + content.length > mostBytes) return;
      kept.set(key, { content, at: performance.now() });
      bytes += content.length;
      sweepLater();
    },
    take: (path, version) => remove(keyOf(path, version)),
  };
}

function keyOf(path: string, { sizeBytes, modifiedNs }: Version): string {
  return `${modifiedNs} ${sizeBytes} ${path}`;
}
