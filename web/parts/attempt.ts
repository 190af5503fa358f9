import { useCallback } from "react";
import { useTexts } from "../texts/texts.tsx";
import { useToast } from "./toast.tsx";

/** Runs work that may fail. `done` is said when it succeeded. */
export type Attempt = <T>(work: Promise<T>, done?: string | ((result: T) => string | undefined)) => Promise<T | undefined>;

/** Returns a function that waits for work and says how it ended: the given text, or the error. */
export function useAttempt(): Attempt {
  const toast = useToast();
  const texts = useTexts();
  return useCallback<Attempt>(
    async (work, done) => {
      try {
        const result = await work;
        const text = typeof done === "function" ? done(result) : done;
        if (text !== undefined) toast(text);
        return result;
      } catch (error) {
        toast(texts.fault(error));
        return undefined;
      }
    },
    [toast, texts],
  );
}
