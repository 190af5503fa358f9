import { type ReactNode, useState } from "react";
import type { ClientRequest } from "../../../../src/contract/client.ts";
import { configRoutes } from "../../../../src/contract/routes/system-config.ts";
import { useAction } from "../../../api/use-reply.ts";
import { useAttempt } from "../../../parts/attempt.ts";
import { Button } from "../../../parts/button.tsx";
import { useTexts } from "../../../texts/texts.tsx";

/** Settings to change. */
export type Changes = ClientRequest<typeof configRoutes.updateConfig>["body"];

/** Returns a function that stores settings and says so. */
export function useSave(): { readonly save: (changes: Changes) => Promise<unknown>; readonly isRunning: boolean } {
  const texts = useTexts();
  const attempt = useAttempt();
  const update = useAction(configRoutes.updateConfig, [configRoutes.getConfig, configRoutes.listVariables]);
  return { save: (body) => attempt(update.run({ body }), texts.event.saved), isRunning: update.isRunning };
}

/** The text of a field, which begins as the stored value and follows it when it changes. */
export function useFollowing(stored: string): readonly [text: string, setText: (text: string) => void] {
  const [base, setBase] = useState(stored);
  const [text, setText] = useState(stored);
  if (base !== stored) {
    setBase(stored);
    setText(stored);
  }
  return [text, setText];
}

interface SaveLineProps {
  readonly isChanged: boolean;
  readonly isRunning: boolean;
  readonly onSave: () => void;
  readonly children: ReactNode;
}

/** A field with a button that stores it once it differs. */
export function SaveLine({ isChanged, isRunning, onSave, children }: SaveLineProps) {
  const texts = useTexts();
  return (
    <form
      className="grid grid-cols-[1fr_auto] items-start gap-3"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        onSave();
      }}
    >
      {children}
      <Button type="submit" look={isChanged ? "main" : "plain"} isBusy={!isChanged || isRunning} className="mt-6 min-h-11">
        {texts.common.save}
      </Button>
    </form>
  );
}
