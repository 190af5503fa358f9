import { Link, useLocation } from "wouter";
import { Page } from "../parts/page.tsx";
import { useAdminTexts } from "../texts/admin.ts";
import { useTexts } from "../texts/texts.tsx";
import { FirstCamera } from "./welcome/first-camera.tsx";
import { FirstMessage } from "./welcome/first-message.tsx";
import { FirstPicture } from "./welcome/first-picture.tsx";
import { FirstRule } from "./welcome/first-rule.tsx";
import { leaveWelcome, useProgress } from "./welcome/progress.ts";
import { Step } from "./welcome/step.tsx";

/** The way to the first message: four steps that turn green as they are done. It can be left at any time. */
export default function WelcomePage() {
  const texts = useTexts();
  const { welcome } = useAdminTexts();
  const [, go] = useLocation();
  const progress = useProgress();
  const { cameras, rules, hasMessage } = progress;
  const seen = cameras?.find(({ last_seen_at }) => last_seen_at !== null);
  const steps = [
    { title: welcome.camera, isDone: (cameras?.length ?? 0) > 0, content: <FirstCamera cameras={cameras ?? []} /> },
    { title: welcome.picture, isDone: seen !== undefined, content: <FirstPicture cameras={cameras ?? []} seen={seen} /> },
    { title: welcome.rule, isDone: (rules?.length ?? 0) > 0, content: <FirstRule rules={rules ?? []} /> },
    { title: welcome.message, isDone: hasMessage ?? false, content: <FirstMessage progress={progress} /> },
  ];
  const next = steps.findIndex(({ isDone }) => !isDone);
  const leave = (): void => {
    leaveWelcome();
    go("/");
  };
  return (
    <Page
      title={welcome.title}
      actions={
        <button type="button" onClick={leave} className="min-h-11 rounded-lg px-4 text-sm font-medium text-accent hover:bg-raised">
          {next === -1 ? texts.common.toStart : welcome.skip}
        </button>
      }
    >
      <p className="mb-4 max-w-prose text-soft">{next === -1 ? welcome.done : welcome.intro}</p>
      {cameras === undefined || rules === undefined || hasMessage === undefined ? (
        <div className="h-dvh" />
      ) : (
        <ol className="grid max-w-3xl gap-3">
          {steps.map(({ title, isDone, content }, at) => (
            <Step key={title} number={at + 1} title={title} isDone={isDone} isNext={at === next}>
              {content}
            </Step>
          ))}
        </ol>
      )}
      {next === -1 && (
        <p className="mt-6">
          <Link href="/rules" className="text-accent underline">
            {welcome.rulesNext}
          </Link>
        </p>
      )}
    </Page>
  );
}
