import type { Version } from "./inspect-file.ts";

const defaultMostBytes = 8 * 1024 * 1024;
const defaultForMs = 2_000;
const sweepEveryMs = 500;

/** A cache for the content of files that have just arrived, for the detect stage. */
export interface FreshContent {
  /** Caches the content of a file for a moment, unless the cache is full. */
  keep(path: string, version: Version, content: Buffer): void;
  /** Removes the content of this version of a file from the cache and returns it. */
  take(path: string, version: Version): Buffer | undefined;
}

/**
 * Creates a cache that holds the content of live pictures between their inspection and their detection, so that they are read once.
 * Holds at most `mostBytes`; drops content that is not taken within `forMs`.
 */
export function createFreshContent({ mostBytes = defaultMostBytes, forMs = defaultForMs } = {}): FreshContent {
  const entries = new Map<string, { readonly content: Buffer; readonly at: number }>();
  let bytes = 0;
  let isSweeping = false;

  const remove = (key: string): Buffer | undefined => {
    const content = entries.get(key)?.content;
    if (!content) return undefined;
    entries.delete(key);
    bytes -= content.length;
    return content;
  };

  const sweep = (): void => {
    isSweeping = false;
    const oldest = performance.now() - forMs;
    for (const [key, { at }] of entries) {
      if (at > oldest) break;
      remove(key);
    }
    sweepLater();
  };

  const sweepLater = (): void => {
    if (isSweeping || entries.size === 0) return;
    isSweeping = true;
    setTimeout(sweep, sweepEveryMs).unref();
  };

  return {
    keep: (path, version, content) => {
      const key = keyOf(path, version);
      remove(key);
      if (bytes + content.length > mostBytes) return;
      entries.set(key, { content, at: performance.now() });
      bytes += content.length;
      sweepLater();
    },
    take: (path, version) => remove(keyOf(path, version)),
  };
}

function keyOf(path: string, { sizeBytes, modifiedNs }: Version): string {
  return `${modifiedNs} ${sizeBytes} ${path}`;
}
