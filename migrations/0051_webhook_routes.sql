-- Limits of a webhook: it gets only alerts of these rules and of these severities; null: of all.
alter table webhooks
  -- no references: a rule that is deleted stays in the limit, so that the webhook does not get every alert from then on
  add column rule_ids uuid[],
  add column severities text[];

-- The rule of the alert names the webhook: its outcome counts for the alert.
alter table webhook_deliveries add column by_rule boolean not null default false;
