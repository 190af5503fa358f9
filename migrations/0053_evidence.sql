-- Evidence packs: the keys that sign them, the packs that were made, and the chain of days.

-- The newest key that the key file opens signs; the public part of earlier ones stays, since packs in other hands carry it.
create table evidence_keys (
  -- Ed25519, 32 bytes
  public_key bytea primary key check (octet_length(public_key) = 32),
  -- sealed with the key file
  sealed_private_key bytea not null,
  created_at timestamptz not null
);

create table evidence_packs (
  pack_id uuid primary key,
  -- no references: what was handed on stays listed when the event and the camera are gone
  event_id bigint not null,
  camera_id text not null,
  -- name of the key or session that asked for it; null without one
  created_by text,
  created_at timestamptz not null,
  -- null: it was cut off, and what had been sent by then is in other hands all the same
  finished_at timestamptz,
  file_count integer not null default 0,
  size_bytes bigint not null default 0,
  -- of the whole file; null unless finished
  sha256 bytea
);
create index evidence_packs_by_time on evidence_packs (created_at desc, pack_id desc);
create index evidence_packs_by_event on evidence_packs (event_id, created_at desc, pack_id desc);

-- One row per day that is over, in UTC: what the rows of the day added up to when it was sealed. Each hash covers the one before.
create table evidence_days (
  day date primary key,
  -- by the name of the table: number of rows, and the sums of their ids and of their hashes
  records jsonb not null,
  previous_hash bytea not null check (octet_length(previous_hash) = 32),
  hash bytea not null check (octet_length(hash) = 32),
  public_key bytea not null references evidence_keys (public_key),
  -- of the hash
  signature bytea not null check (octet_length(signature) = 64),
  -- fingerprint of the key file: rows can be hashed again only with it
  key_file text not null,
  sealed_at timestamptz not null
);

-- What homesec itself changed in sealed days: retention, corrections, acknowledgements. Sealed sum plus these = sum of the present rows.
create table evidence_corrections (
  correction_id bigint generated always as identity primary key,
  day date not null references evidence_days (day),
  record text not null,
  -- rows that came minus rows that went
  rows bigint not null,
  ids bigint not null,
  hash bit(256) not null
);
create index evidence_corrections_by_day on evidence_corrections (day, record);

create index detections_by_creation on detections using brin (created_at);
create index images_by_arrival on images using brin (found_at);
create index journal_by_creation on journal using brin (created_at);

-- The hash of a row. The key comes from the key file and is set only in sessions of homesec: a person with the database alone can neither
-- compute a hash nor a correction. The hash inside has a fixed length, so that no known hash can be continued.
create function evidence_hash(body text) returns bit(256) language sql stable as $$
  select ('x' || encode(sha256(decode(current_setting('homesec.evidence_key'), 'hex') || sha256(convert_to(body, 'UTF8'))), 'hex'))::bit(256)
$$;

-- A number for an id. The hash functions of PostgreSQL may differ between its versions.
create function evidence_id(id text) returns bigint language sql immutable as $$
  select ('x' || substr(encode(sha256(convert_to(id, 'UTF8')), 'hex'), 1, 16))::bit(64)::bigint
$$;

-- The day of a row, a number for its id, and the hash of the columns that matter as evidence. Times are numbers, so that no setting of a
-- session changes them.
create function evidence_of(r events) returns table (day date, id bigint, hash bit) language sql stable as $$
  select (r.created_at at time zone 'UTC')::date, evidence_id(r.event_id::text), evidence_hash(jsonb_build_array(
    'events', r.event_id, r.kind, r.camera_id, extract(epoch from r.started_at), extract(epoch from r.ended_at), r.risk_score, r.risk_level,
    r.summary, r.reasoning, r.analyzed_by, r.reviewed, r.notes, r.detection_count, r.object_types, extract(epoch from r.created_at),
    extract(epoch from r.deleted_at)
  )::text)
$$;

create function evidence_of(r detections) returns table (day date, id bigint, hash bit) language sql stable as $$
  select (r.created_at at time zone 'UTC')::date, evidence_id(r.detection_id::text), evidence_hash(jsonb_build_array(
    'detections', r.detection_id, r.camera_id, r.image_id, r.event_id, r.file_path, r.video_offset_seconds,
    extract(epoch from r.detected_at), r.object_type, r.confidence, r.bbox_x, r.bbox_y, r.bbox_width, r.bbox_height,
    extract(epoch from r.created_at)
  )::text)
$$;

create function evidence_of(r images) returns table (day date, id bigint, hash bit) language sql stable as $$
  select (r.found_at at time zone 'UTC')::date, evidence_id(r.image_id::text), evidence_hash(jsonb_build_array(
    'images', r.image_id, r.camera_id, r.path, r.size_bytes, r.modified_ns, encode(r.sha256, 'hex'), r.found_by,
    extract(epoch from r.found_at), extract(epoch from r.taken_at), extract(epoch from r.captured_at)
  )::text)
$$;

create function evidence_of(r alerts) returns table (day date, id bigint, hash bit) language sql stable as $$
  select (r.created_at at time zone 'UTC')::date, evidence_id(r.alert_id::text), evidence_hash(jsonb_build_array(
    'alerts', r.alert_id, r.event_id, r.rule_name, r.camera_id, r.severity, r.status, extract(epoch from r.created_at),
    extract(epoch from r.delivered_at), extract(epoch from r.acknowledged_at), extract(epoch from r.dismissed_at)
  )::text)
$$;

create function evidence_of(r changes) returns table (day date, id bigint, hash bit) language sql stable as $$
  select (r.changed_at at time zone 'UTC')::date, evidence_id(r.change_id::text), evidence_hash(jsonb_build_array(
    'changes', r.change_id, extract(epoch from r.changed_at), r.changed_by, r.role, r.operation, r.subjects, r.fields
  )::text)
$$;

create function evidence_of(r journal) returns table (day date, id bigint, hash bit) language sql stable as $$
  select (r.created_at at time zone 'UTC')::date, evidence_id(r.journal_id::text), evidence_hash(jsonb_build_array(
    'journal', r.journal_id, r.type, r.data, extract(epoch from r.created_at)
  )::text)
$$;

-- Writes down that a session of homesec deleted rows of sealed days. It waits while a day is being sealed, so that each row is either in the
-- seal or in a correction of it.
create function evidence_rows_deleted() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('homesec.evidence_key', true), '') = '' or not exists (select from old_rows) then
    return null;
  end if;
  perform pg_advisory_xact_lock_shared(7009, 0);
  execute format(
    'insert into evidence_corrections (day, record, rows, ids, hash)
     select d.day, %1$L, -count(*), bit_xor(v.id), bit_xor(v.hash)
     from old_rows o cross join lateral evidence_of(row(o.*)::%1$I) v join evidence_days d on d.day = v.day
     group by d.day',
    tg_table_name
  );
  return null;
end $$;

-- The same for a row that a session of homesec changed or added.
create function evidence_row_changed() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('homesec.evidence_key', true), '') = '' then
    return null;
  end if;
  perform pg_advisory_xact_lock_shared(7009, 0);
  if tg_op = 'UPDATE' then
    insert into evidence_corrections (day, record, rows, ids, hash)
    select d.day, tg_table_name, -1, v.id, v.hash from evidence_of(old) v join evidence_days d on d.day = v.day;
  end if;
  insert into evidence_corrections (day, record, rows, ids, hash)
  select d.day, tg_table_name, 1, v.id, v.hash from evidence_of(new) v join evidence_days d on d.day = v.day;
  return null;
end $$;

-- Rows of the last hour are in no sealed day, so that new pictures cost nothing here.
create trigger events_deleted_as_evidence after delete on events
  referencing old table as old_rows for each statement execute function evidence_rows_deleted();
create trigger events_added_as_evidence after insert on events for each row
  when (new.created_at < now() - interval '1 hour') execute function evidence_row_changed();
create trigger events_changed_as_evidence
  after update of kind, camera_id, started_at, ended_at, risk_score, risk_level, summary, reasoning, analyzed_by, reviewed, notes,
    detection_count, object_types, created_at, deleted_at
  on events for each row when (old.created_at < now() - interval '1 hour') execute function evidence_row_changed();

create trigger detections_deleted_as_evidence after delete on detections
  referencing old table as old_rows for each statement execute function evidence_rows_deleted();
create trigger detections_added_as_evidence after insert on detections for each row
  when (new.created_at < now() - interval '1 hour') execute function evidence_row_changed();
create trigger detections_changed_as_evidence
  after update of camera_id, image_id, event_id, file_path, video_offset_seconds, detected_at, object_type, confidence, bbox_x, bbox_y,
    bbox_width, bbox_height, created_at
  on detections for each row when (old.created_at < now() - interval '1 hour') execute function evidence_row_changed();

create trigger images_deleted_as_evidence after delete on images
  referencing old table as old_rows for each statement execute function evidence_rows_deleted();
create trigger images_added_as_evidence after insert on images for each row
  when (new.found_at < now() - interval '1 hour') execute function evidence_row_changed();
create trigger images_changed_as_evidence
  after update of camera_id, path, size_bytes, modified_ns, sha256, found_by, found_at, taken_at, captured_at
  on images for each row when (old.found_at < now() - interval '1 hour') execute function evidence_row_changed();

create trigger alerts_deleted_as_evidence after delete on alerts
  referencing old table as old_rows for each statement execute function evidence_rows_deleted();
create trigger alerts_added_as_evidence after insert on alerts for each row
  when (new.created_at < now() - interval '1 hour') execute function evidence_row_changed();
create trigger alerts_changed_as_evidence
  after update of event_id, rule_name, camera_id, severity, status, created_at, delivered_at, acknowledged_at, dismissed_at
  on alerts for each row when (old.created_at < now() - interval '1 hour') execute function evidence_row_changed();

create trigger changes_deleted_as_evidence after delete on changes
  referencing old table as old_rows for each statement execute function evidence_rows_deleted();
create trigger changes_added_as_evidence after insert on changes for each row
  when (new.changed_at < now() - interval '1 hour') execute function evidence_row_changed();

create trigger journal_deleted_as_evidence after delete on journal
  referencing old table as old_rows for each statement execute function evidence_rows_deleted();
create trigger journal_added_as_evidence after insert on journal for each row
  when (new.created_at < now() - interval '1 hour') execute function evidence_row_changed();
