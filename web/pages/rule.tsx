import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { cameraRoutes } from "../../src/contract/routes/cameras.ts";
import { notificationRoutes } from "../../src/contract/routes/notifications.ts";
import { ruleRoutes } from "../../src/contract/routes/rules.ts";
import { call } from "../api/client.ts";
import { useAction, useReply } from "../api/use-reply.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { everyCamera } from "../parts/names.tsx";
import { Page } from "../parts/page.tsx";
import { Loaded } from "../parts/states.tsx";
import { useToast } from "../parts/toast.tsx";
import { Said } from "../texts/en.ts";
import { useMoreTexts } from "../texts/more.ts";
import { useTexts } from "../texts/texts.tsx";
import { type Draft, draftOf, type RuleRecord } from "./rules/draft.ts";
import { RuleForm } from "./rules/form.tsx";

/** A stored rule: its form with what it would have done, a way to copy it and a way to delete it. */
export default function RulePage() {
  const id = useParams()["id"] ?? "";
  const rule = useReply(ruleRoutes.getRule, { params: { id } });
  const cameras = useReply(cameraRoutes.listCameras, everyCamera);
  const config = useReply(notificationRoutes.getNotificationConfig, {});
  // the form names cameras and channels: it comes when they are known, so that nothing in it moves
  if (cameras.isPending || config.isPending) return null;
  return <Loaded reply={rule}>{(data) => <Shown key={`${data.id} ${data.version}`} rule={data} />}</Loaded>;
}

function Shown({ rule }: { readonly rule: RuleRecord }) {
  const { rules } = useMoreTexts();
  const toast = useToast();
  const cache = useQueryClient();
  const [, go] = useLocation();
  const params = { id: rule.id };
  const update = useAction(ruleRoutes.updateRule, [ruleRoutes.listRules]);
  const save = async (draft: Draft): Promise<void> => {
    const now = await call(ruleRoutes.getRule, { params });
    if (now.version !== rule.version) throw new Said(rules.changedMeanwhile);
    await update.run({ params, body: draft });
    cache.removeQueries({ queryKey: [ruleRoutes.getRule.path] });
    toast(rules.saved(draft.name));
    go("/rules");
  };
  return (
    <Page
      title={rule.name}
      actions={
        <div className="flex flex-wrap gap-2">
          <Link
            href={`/rules/new?copy=${rule.id}`}
            className="inline-flex min-h-11 items-center rounded-lg border border-line bg-card px-4 text-sm font-medium hover:bg-raised"
          >
            {rules.duplicate}
          </Link>
          <Link
            href={`/silences?rule=${rule.id}`}
            className="inline-flex min-h-11 items-center rounded-lg border border-line bg-card px-4 text-sm font-medium hover:bg-raised"
          >
            {rules.mute}
          </Link>
          <Removal rule={rule} />
        </div>
      }
    >
      <RuleForm base={draftOf(rule)} save={save} />
    </Page>
  );
}

/** Deletes a rule after a question, because its versions go with it; switching it off is the other answer. */
function Removal({ rule }: { readonly rule: RuleRecord }) {
  const texts = useTexts();
  const { rules } = useMoreTexts();
  const toast = useToast();
  const cache = useQueryClient();
  const [, go] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const changes = [ruleRoutes.listRules];
  const remove = useAction(ruleRoutes.deleteRule, changes);
  const update = useAction(ruleRoutes.updateRule, changes);
  const params = { id: rule.id };
  const done = (text: string) => () => {
    go("/rules");
    // only afterwards: as long as this page is drawn, it would ask for the rule again
    cache.removeQueries({ queryKey: [ruleRoutes.getRule.path] });
    toast(text);
  };
  const fail = (error: Error): void => {
    setOpen(false);
    toast(texts.fault(error));
  };
  const off = (): void => void update.run({ params, body: { enabled: false } }).then(done(rules.saved(rule.name)), fail);
  return (
    <>
      <Button look="danger" className="min-h-11" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {rules.remove}
      </Button>
      <Dialog title={rules.removeTitle(rule.name)} isOpen={isOpen} onClose={() => setOpen(false)}>
        <p className="mb-4">{rules.removeHint}</p>
        <div className="flex flex-wrap justify-end gap-2">
          <Button className="min-h-11" onClick={() => setOpen(false)}>
            {texts.common.cancel}
          </Button>
          {rule.enabled && (
            <Button className="min-h-11" isBusy={update.isRunning} onClick={off}>
              {rules.switchOff}
            </Button>
          )}
          <Button
            look="danger"
            className="min-h-11"
            isBusy={remove.isRunning}
            onClick={() => void remove.run({ params }).then(done(rules.removed(rule.name)), fail)}
          >
            {rules.remove}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
