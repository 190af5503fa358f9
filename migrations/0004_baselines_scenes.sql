-- What is usual at a camera, what was unusual, changes of its view, and what the search of detections needs.

-- How many detections an hour of the week has: exponentially decayed mean and variance. Days and hours are UTC; 0 is Monday.
create table activity_baselines (
  camera_id text not null references cameras (camera_id),
  day_of_week smallint not null check (day_of_week between 0 and 6),
  hour smallint not null check (hour between 0 and 23),
  avg_count double precision not null check (avg_count >= 0),
  variance double precision not null check (variance >= 0),
  sample_count bigint not null check (sample_count > 0),
  updated_at timestamptz not null,
  primary key (camera_id, day_of_week, hour)
);

-- The same for each class.
create table class_baselines (
  camera_id text not null references cameras (camera_id),
  object_class text not null,
  day_of_week smallint not null check (day_of_week between 0 and 6),
  hour smallint not null check (hour between 0 and 23),
  avg_count double precision not null check (avg_count >= 0),
  variance double precision not null check (variance >= 0),
  sample_count bigint not null check (sample_count > 0),
  updated_at timestamptz not null,
  primary key (camera_id, object_class, day_of_week, hour)
);

-- The camera's own limits; they hold only while `override_global_config` is true. Null is the value of all cameras.
create table baseline_configs (
  camera_id text primary key references cameras (camera_id),
  threshold_stdev double precision check (threshold_stdev between 0.5 and 5),
  min_samples bigint check (min_samples >= 1),
  override_global_config boolean not null,
  updated_at timestamptz not null
);

-- Hours that were not as usual, of a camera or of one class at it.
create table anomalies (
  anomaly_id bigint generated always as identity primary key,
  camera_id text not null references cameras (camera_id),
  occurred_at timestamptz not null,
  detection_class text,
  anomaly_score double precision not null,
  expected_frequency double precision not null,
  observed_frequency double precision not null,
  reason text not null,
  created_at timestamptz not null
);
create index anomalies_by_camera on anomalies (camera_id, occurred_at desc, anomaly_id desc);

create table scene_changes (
  scene_change_id bigint generated always as identity primary key,
  camera_id text not null references cameras (camera_id),
  detected_at timestamptz not null,
  change_type text not null check (change_type in ('view_blocked', 'view_moved', 'view_blurred', 'unknown')),
  similarity_score double precision not null,
  file_path text,
  acknowledged_at timestamptz
);
create index scene_changes_by_camera on scene_changes (camera_id, detected_at desc, scene_change_id desc);
create index scene_changes_open on scene_changes (camera_id, detected_at desc, scene_change_id desc) where acknowledged_at is null;

-- What enrichment read from a picture, as search compares it: texts and numbers of the attributes, what was written there, the caption.
create function enrichment_words(enrichment jsonb) returns tsvector language sql immutable parallel safe as $$
  select to_tsvector(
    'pg_catalog.simple',
    search_folded(left(concat_ws(' . ', enrichment ->> 'caption', (
      select string_agg(found.value #>> '{}', ' . ')
      from (
        select a.value from jsonb_path_query(enrichment, 'strict $.attributes.**', '{}', true) a (value)
        union all
        select o.value from jsonb_path_query(enrichment, '$.ocr[*].text') o (value)
      ) found
      where jsonb_typeof(found.value) in ('string', 'number')
    )), 20000))
  )
$$;

-- One word or phrase of a query: its words side by side, the last one as a beginning when a * follows it. Nothing, when there is no word in it.
create function search_term(phrase text) returns tsquery language sql immutable parallel safe as $$
  select case when numnode(w.words) > 0 and phrase like '%*' then (w.words::text || ':*')::tsquery else w.words end
  from (select phraseto_tsquery('pg_catalog.simple', search_folded(phrase)) as words) w
$$;

-- Null without enrichment, so that the index holds only detections that have some.
alter table detections add column words tsvector generated always as (
  case when enrichment is not null then enrichment_words(enrichment) end
) stored;
create index detections_by_words on detections using gin (words) where words is not null;

-- A class at a camera, newest first.
create index detections_by_camera_type on detections (camera_id, object_type, detected_at desc, detection_id desc);
