import type { z } from "zod";
import { type ModeState, modeRoutes } from "../../src/contract/routes/modes.ts";
import { useAction, useReply } from "../api/use-reply.ts";
import { useFormat } from "../texts/format.tsx";
import { useMoreTexts } from "../texts/more.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { useModeNames } from "./names.tsx";
import { useToast } from "./toast.tsx";

type State = z.output<typeof ModeState>;

/** The modes to choose from, and who chose the current one. */
export default function ModeChoices({ state, onClose }: { readonly state: State; readonly onClose: () => void }) {
  const { modes } = useMoreTexts();
  const format = useFormat();
  const nameOf = useModeNames();
  const { data } = useReply(modeRoutes.listModes, {});
  const choose = useSwitch();
  const hints: Readonly<Record<string, string>> = modes.hints;
  const { pending } = state;
  return (
    <>
      <div className="grid gap-2">
        {(data?.modes ?? []).map(({ name, exit_delay_seconds: delay }) => {
          const isCurrent = name === state.mode;
          const hint = hints[name] ?? "";
          const wait = delay > 0 && !isCurrent ? modes.exitDelay(format.duration(delay * 1000)) : "";
          return (
            <Button
              key={name}
              aria-pressed={isCurrent}
              {...(isCurrent && { "data-first": true })}
              className={`min-h-12 justify-between! text-left ${isCurrent ? "border-2! border-accent!" : ""}`}
              onClick={() => {
                onClose();
                void choose(name, false);
              }}
            >
              {nameOf(name)} <span className="text-right font-normal text-soft">{[hint, wait].filter(Boolean).join(" · ")}</span>
            </Button>
          );
        })}
        {pending && (
          <div className="flex gap-2">
            <Button className="flex-1" onClick={() => void choose(state.mode, false)}>
              {modes.cancel}
            </Button>
            <Button className="flex-1" onClick={() => void choose(pending.mode, true)}>
              {modes.skip}
            </Button>
          </div>
        )}
      </div>
      <p className="mt-3 text-sm text-soft">
        <Author state={state} /> {modes.hint}
      </p>
    </>
  );
}

function Author({ state: { since, source, set_by } }: { readonly state: State }) {
  const { modes } = useMoreTexts();
  const format = useFormat();
  if (since === null) return null;
  const time = format.time(since);
  const text = source === "schedule" ? modes.bySchedule(time) : set_by === null ? modes.since(time) : modes.by(set_by, time);
  return <span>{text}.</span>;
}

/** Returns a function that switches the mode, and says so with a way back. */
function useSwitch(): (mode: string, isAtOnce: boolean) => Promise<void> {
  const texts = useTexts();
  const { modes } = useMoreTexts();
  const format = useFormat();
  const nameOf = useModeNames();
  const toast = useToast();
  const set = useAction(modeRoutes.setMode, [modeRoutes.getMode, modeRoutes.listModeSwitches]);
  return async (mode, isAtOnce) => {
    try {
      const state = await set.run({ body: { mode, skip_exit_delay: isAtOnce } });
      toast(
        state.pending
          ? modes.pending(nameOf(state.pending.mode), format.clock(state.pending.effective_at))
          : modes.switched(nameOf(state.mode)),
      );
    } catch (error) {
      toast(texts.fault(error));
    }
  };
}
