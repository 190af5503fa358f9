import { type FormEvent, useState } from "react";
import type { ReplyOf } from "../../../src/contract/routes/index.ts";
import { pullRoutes } from "../../../src/contract/routes/pulls.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import type { CameraRecord } from "../../parts/camera-tile.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { Ago, useFormat } from "../../texts/format.tsx";

type PullRecord = ReplyOf<"listPulls">["pulls"][number];

interface PartProps {
  readonly camera: CameraRecord;
  /** Undefined while homesec fetches no pictures from the camera. */
  readonly pull: PullRecord | undefined;
}

/** The address that homesec fetches pictures from: how it goes, and a form to set it. */
export function Pull({ camera }: { readonly camera: CameraRecord }) {
  const { pull: texts } = useAdminTexts().cameras;
  const [isOpen, setOpen] = useState(false);
  const pulls = useReply(pullRoutes.listPulls, {}, { everyMs: 5_000 });
  return (
    <Section title={texts.title}>
      <Loaded reply={pulls} waiting={<div className="h-20" />}>
        {({ pulls: all }) => {
          const pull = all.find(({ camera_id }) => camera_id === camera.camera_id);
          return (
            <>
              {pull ? <State camera={camera} pull={pull} /> : <p className="text-soft">{texts.none}</p>}
              <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
                <summary className="min-h-11 py-2 text-sm text-accent">{pull ? texts.change : texts.setUp}</summary>
                {isOpen && <Form key={pull?.updated_at.getTime()} camera={camera} pull={pull} />}
              </details>
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function State({ camera, pull }: PartProps & { readonly pull: PullRecord }) {
  const { pull: texts } = useAdminTexts().cameras;
  const format = useFormat();
  const attempt = useAttempt();
  const test = useTest(camera);
  const remove = useAction(pullRoutes.deleteCameraPull, [pullRoutes.listPulls]);
  const { state, fault, last_picture_at, seen_count, kept_count, cpu_percent } = pull;
  return (
    <>
      <p className={state === "failing" ? "font-semibold text-high" : ""}>
        {texts.state[state]}
        {last_picture_at && (
          <>
            {" · "}
            <Ago time={last_picture_at} />
          </>
        )}
      </p>
      <p className="font-mono text-sm break-all">{pull.url}</p>
      {fault !== null && <p className="text-sm break-words text-high">{fault}</p>}
      <p className="text-sm text-soft">
        {texts.counts(format.number(seen_count), format.number(kept_count))}
        {cpu_percent !== null && ` · ${texts.cost(format.number(cpu_percent))}`}
      </p>
      <div className="my-2 flex flex-wrap justify-between gap-3">
        <Button disabled={test.isRunning} onClick={() => void test.run()} className="min-h-11">
          {texts.test}
        </Button>
        <ConfirmButton
          text={texts.stop}
          title={texts.stopTitle(camera.name)}
          disabled={remove.isRunning}
          onConfirm={() => void attempt(remove.run({ params: { camera_id: camera.camera_id } }), texts.stopped)}
        >
          {texts.stopHint}
        </ConfirmButton>
      </div>
    </>
  );
}

/** Fetches one picture and says how it went. */
function useTest({ camera_id }: CameraRecord) {
  const { pull: texts } = useAdminTexts().cameras;
  const format = useFormat();
  const attempt = useAttempt();
  const { run, isRunning } = useAction(pullRoutes.testCameraPull, []);
  return {
    isRunning,
    run: () =>
      attempt(run({ params: { camera_id } }), ({ works, fault, width, height, ms }) =>
        works ? texts.works(`${width} × ${height}`, format.number(Math.round(ms / 100) / 10)) : texts.fails(fault ?? ""),
      ),
  };
}

function Form({ camera, pull }: PartProps) {
  const { pull: texts } = useAdminTexts().cameras;
  const attempt = useAttempt();
  const test = useTest(camera);
  const set = useAction(pullRoutes.setCameraPull, [pullRoutes.listPulls]);
  const [url, setUrl] = useState(pull?.url ?? "");
  const [username, setUsername] = useState(pull?.username ?? "");
  const [password, setPassword] = useState("");
  const [every, setEvery] = useState(String(pull?.every_seconds ?? 2));
  const [threshold, setThreshold] = useState(String(pull?.threshold_percent ?? 0.3));
  const save = async (submitted: FormEvent): Promise<void> => {
    submitted.preventDefault();
    const settings = { every_seconds: Number(every), threshold_percent: Number(threshold) };
    const login = { ...(username !== "" && { username }), ...(password !== "" && { password }) };
    const body = { url: url.trim(), ...settings, ...login };
    const isStored = await attempt(set.run({ params: { camera_id: camera.camera_id }, body }).then(() => true));
    if (isStored) await test.run();
  };
  return (
    <form className="grid gap-3" onSubmit={(submitted) => void save(submitted)}>
      <TextField label={texts.address} hint={texts.addressHint} required maxLength={2048} spellCheck={false} value={url} onText={setUrl} />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label={texts.user} maxLength={255} autoComplete="off" spellCheck={false} value={username} onText={setUsername} />
        <TextField
          label={texts.password}
          {...(pull?.has_password && { hint: texts.passwordKept })}
          type="password"
          maxLength={255}
          autoComplete="new-password"
          value={password}
          onText={setPassword}
        />
        <TextField label={texts.every} type="number" min={0.5} max={3600} step="any" required value={every} onText={setEvery} />
        <TextField label={texts.threshold} type="number" min={0} max={100} step="any" required value={threshold} onText={setThreshold} />
      </div>
      <Button type="submit" look="main" disabled={set.isRunning || test.isRunning} className="min-h-11 justify-self-start">
        {texts.save}
      </Button>
    </form>
  );
}
