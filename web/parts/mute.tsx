import { BellOff } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { silenceRoutes } from "../../src/contract/routes/silences.ts";
import { useMay } from "../api/use-may.tsx";
import { useAction, useReply } from "../api/use-reply.ts";
import { useFormat } from "../texts/format.tsx";
import { useMoreTexts } from "../texts/more.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { type MuteEnd, muteEndAt, nextMorning } from "./mute-ends.ts";
import { useCameraNames } from "./names.tsx";
import { useToast } from "./toast.tsx";

/** Mutes the alerts of a camera by two taps, and says while they are muted until when, with a way to end it. */
export function MuteButton({ cameraId }: { readonly cameraId: string }) {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  const mayMute = useMay("resident");
  const active = useActiveSilence(cameraId);
  const element = useFocusKept(active?.id);
  if (!mayMute) return null;
  return (
    <div ref={element} className={active ? "w-full sm:w-auto" : ""}>
      {active ? (
        <Muted silence={active} />
      ) : (
        <Button className="min-h-11" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <BellOff aria-hidden size={18} /> {texts.camera.silence}
        </Button>
      )}
      <Choices cameraId={cameraId} isOpen={isOpen} onClose={() => setOpen(false)} />
    </div>
  );
}

/** When one button takes the place of another, the focus must not get lost with the one that goes. */
function useFocusKept(state: string | undefined) {
  const element = useRef<HTMLDivElement>(null);
  const before = useRef(state);
  useEffect(() => {
    if (before.current === state) return;
    before.current = state;
    if (document.activeElement === document.body) element.current?.querySelector("button")?.focus();
  }, [state]);
  return element;
}

/** Returns the silences that are in effect. */
export function useActiveSilences() {
  const enabled = useMay("resident");
  return useReply(silenceRoutes.listSilences, { query: { status: "active", limit: 1000 } }, { enabled });
}

/** The silence that mutes all alerts of a camera now; of several the one that ends last. */
function useActiveSilence(cameraId: string) {
  const { data } = useActiveSilences();
  return data?.items
    .filter(({ camera_id, rule_id }) => rule_id === null && (camera_id === null || camera_id === cameraId))
    .toSorted((one, other) => other.ends_at.getTime() - one.ends_at.getTime())[0];
}

function Muted({ silence }: { readonly silence: { readonly id: string; readonly ends_at: Date } }) {
  const texts = useTexts();
  const { mute } = useMoreTexts();
  const format = useFormat();
  const toast = useToast();
  const end = useAction(silenceRoutes.endSilence, [silenceRoutes.listSilences]);
  const run = (): void =>
    void end.run({ params: { id: silence.id } }).then(
      () => toast(mute.ended),
      (error: unknown) => toast(texts.fault(error)),
    );
  return (
    <div className="flex w-full items-center justify-between gap-3 rounded-lg border border-line bg-card pl-3 sm:w-auto">
      <span className="inline-flex items-center gap-2 text-sm font-medium text-medium">
        <BellOff aria-hidden size={18} /> {mute.active(format.time(silence.ends_at))}
      </span>
      <Button look="quiet" className="min-h-11 text-accent" isBusy={end.isRunning} onClick={run}>
        {mute.end}
      </Button>
    </div>
  );
}

interface ChoicesProps {
  readonly cameraId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function Choices({ cameraId, isOpen, onClose }: ChoicesProps) {
  const { mute } = useMoreTexts();
  const format = useFormat();
  const nameOf = useCameraNames();
  const run = useMute(cameraId);
  const now = new Date();
  const morning = nextMorning(now, format.zone);
  const choices: readonly (readonly [end: MuteEnd, text: string, hint?: string])[] = [
    [{ kind: "hours", hours: 1 }, mute.forHours(1)],
    [{ kind: "hours", hours: 2 }, mute.forHours(2)],
    [{ kind: "morning" }, mute.morning[morning.isToday ? "today" : "tomorrow"]],
    [{ kind: "ended" }, mute.untilEnded, mute.untilEndedHint],
  ];
  return (
    <Dialog title={mute.title(nameOf(cameraId))} isOpen={isOpen} onClose={onClose}>
      <div className="grid gap-2">
        {choices.map(([end, text, hint]) => (
          <Button
            key={text}
            className="min-h-12 justify-between! text-left"
            onClick={() => {
              onClose();
              void run(end);
            }}
          >
            {text}{" "}
            <span className="text-right font-normal text-soft">{hint ?? mute.until(format.time(muteEndAt(end, now, format.zone)))}</span>
          </Button>
        ))}
      </div>
      <p className="mt-3 text-sm text-soft">{mute.hint}</p>
    </Dialog>
  );
}

/** Returns a function that mutes a camera until an end, and says so with a way to undo it. */
function useMute(cameraId: string): (end: MuteEnd) => Promise<void> {
  const texts = useTexts();
  const { mute } = useMoreTexts();
  const format = useFormat();
  const toast = useToast();
  const nameOf = useCameraNames();
  const create = useAction(silenceRoutes.createSilence, [silenceRoutes.listSilences]);
  const end = useAction(silenceRoutes.endSilence, [silenceRoutes.listSilences]);
  const fail = (error: unknown): void => toast(texts.fault(error));
  return async (until) => {
    const ends_at = muteEndAt(until, new Date(), format.zone);
    try {
      const silence = await create.run({ body: { camera_id: cameraId, ends_at, reason: mute.reason } });
      toast(mute.done(nameOf(cameraId), format.time(silence.ends_at)), () => void end.run({ params: { id: silence.id } }).catch(fail));
    } catch (error) {
      fail(error);
    }
  };
}
