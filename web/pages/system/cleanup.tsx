import { useState } from "react";
import { Link } from "wouter";
import type { z } from "zod";
import { type CleanupReport, storageRoutes } from "../../../src/contract/routes/system-storage.ts";
import { useAction } from "../../api/use-reply.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { Fault } from "../../parts/fault.tsx";
import { Section } from "../../parts/page.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useFormat } from "../../texts/format.tsx";
import { Shares } from "../settings/configuration/retention.tsx";
import { Row, Rows } from "./frame.tsx";

type Report = z.output<typeof CleanupReport>;

/** Deletes what is older than the retention period. It shows first what that is. */
export function Cleanup() {
  const { system } = useAdminTexts();
  const [report, setReport] = useState<Report>();
  const clean = useAction(storageRoutes.cleanUp, [storageRoutes.getStorage]);
  const run = (isPreview: boolean): void => void clean.run({ query: { dry_run: isPreview } }).then(setReport, () => {});
  return (
    <Section title={system.cleanup}>
      <p className="mb-3 text-sm text-soft">
        {system.cleanupHint}{" "}
        <Link href="/settings/configuration" className="text-accent underline">
          {system.retention}
        </Link>
      </p>
      <div className="flex flex-wrap gap-2">
        <Button look="main" className="min-h-11" isBusy={clean.isRunning} onClick={() => run(true)}>
          {clean.isRunning ? system.cleaning : system.preview}
        </Button>
        {report?.dry_run && (
          <ConfirmButton text={system.cleanNow} title={system.cleanTitle} disabled={clean.isRunning} onConfirm={() => run(false)}>
            {system.cleanConfirm(report.events_deleted, report.detections_deleted, report.images_deleted)}
          </ConfirmButton>
        )}
      </div>
      <Fault error={clean.error} className="mt-2" />
      {report && <Result report={report} />}
    </Section>
  );
}

function Result({ report }: { readonly report: Report }) {
  const { system } = useAdminTexts();
  const format = useFormat();
  return (
    <div role="status" className="mt-4">
      <p className="mb-2 font-medium">
        {report.dry_run ? system.wouldDelete(report.retention_days) : system.deleted(report.retention_days)}
      </p>
      <Rows>
        <Row name={system.events}>{format.number(report.events_deleted)}</Row>
        <Row name={system.detections}>{format.number(report.detections_deleted)}</Row>
        <Row name={system.pictures}>{format.number(report.images_deleted)}</Row>
        <Row name={system.thumbnails}>{format.number(report.thumbnails_deleted)}</Row>
        <Row name={system.logs}>{format.number(report.logs_deleted)}</Row>
        <Row name={system.freed}>{format.bytes(report.space_reclaimed)}</Row>
      </Rows>
      <div className="mt-3">{report.by_rule && report.by_rule.length > 1 && <Shares shares={report.by_rule} />}</div>
    </div>
  );
}
