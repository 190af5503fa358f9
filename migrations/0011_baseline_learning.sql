-- What learning of baselines needs. Days and hours of baselines are those of the machine's time zone, whatever earlier migrations say.

-- Minutes in which homesec stood ready to see what a camera uploads, a bit for each minute of the hour, set by whichever process was there.
-- An hour is learned from when nearly all are set, and its row goes in the same transaction: so each hour counts once, and one that nobody
-- watched never counts as empty.
create table observed_hours (
  camera_id text not null references cameras (camera_id),
  started_at timestamptz not null,
  ended_at timestamptz not null,
  minutes bigint not null,
  -- the baseline was reset within it: what was seen before that must not be learned again
  spoiled boolean not null default false,
  primary key (camera_id, started_at)
);
create index observed_hours_by_end on observed_hours (ended_at);

-- The last hour that was learned: the same hour of a clock that was set back is not learned twice, and what is too old is forgotten.
alter table activity_baselines add column last_hour timestamptz not null default now();
alter table activity_baselines alter column last_hour drop default;

-- Which hour an anomaly is about: there is one for each camera, class and hour.
alter table anomalies add column hour_started_at timestamptz;
create unique index anomalies_once on anomalies (camera_id, hour_started_at, detection_class) nulls not distinct where hour_started_at is not null;
create index anomalies_by_time on anomalies (occurred_at);
