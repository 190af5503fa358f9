-- Figures about the system itself: the graphics card, latencies, space; and what deleting old rows needs.

-- The busiest card, one row per look. What the card does not tell is null.
create table gpu_stats (
  recorded_at timestamptz primary key,
  gpu_name text,
  utilization double precision,
  memory_used double precision,
  memory_total double precision,
  temperature double precision,
  power_usage double precision,
  inference_fps double precision,
  fan_speed double precision,
  sm_clock double precision,
  memory_bandwidth_utilization double precision,
  pstate text,
  throttle_reasons text[] not null default '{}',
  power_limit double precision,
  sm_clock_max double precision,
  compute_processes_count double precision,
  pcie_replay_counter double precision,
  temp_slowdown_threshold double precision,
  memory_clock double precision,
  memory_clock_max double precision,
  pcie_link_gen double precision,
  pcie_link_width double precision,
  pcie_tx_throughput double precision,
  pcie_rx_throughput double precision,
  encoder_utilization double precision,
  decoder_utilization double precision,
  bar1_used double precision
);

-- When what has to be done once a day, by one process, was last done.
create table chores (
  name text primary key,
  last_run_at timestamptz not null
);

-- Latencies are read from the newest rows that came to their end.
create index images_by_finish on images (finished_at) where started_at is not null;
create index batches_by_close on batches (closed_at) where status = 'closed';
create index analysis_attempts_by_finish on analysis_attempts (finished_at);

-- Age counts for soft-deleted events too.
create index events_gone_by_time on events (started_at) where deleted_at is not null;

-- Batches are deleted by age after their events. As a foreign key, each deleted batch would have all detections searched for it.
alter table detections drop constraint detections_batch_id_fkey;

-- Number and size of the files in the ledger, kept in the transaction of each change.
create table image_totals (
  camera_id text primary key references cameras (camera_id),
  file_count bigint not null,
  size_bytes bigint not null
);

insert into image_totals (camera_id, file_count, size_bytes)
select i.camera_id, count(*), sum(i.size_bytes)
from images i
group by i.camera_id;

create function count_new_images() returns trigger language plpgsql as $$
begin
  insert into image_totals (camera_id, file_count, size_bytes)
  select n.camera_id, count(*), sum(n.size_bytes) from new_rows n group by n.camera_id order by n.camera_id
  on conflict (camera_id) do update
  set file_count = image_totals.file_count + excluded.file_count, size_bytes = image_totals.size_bytes + excluded.size_bytes;
  return null;
end $$;
create trigger images_counted_in after insert on images
  referencing new table as new_rows for each statement execute function count_new_images();

create function count_gone_images() returns trigger language plpgsql as $$
begin
  update image_totals t set file_count = t.file_count - o.n, size_bytes = t.size_bytes - o.bytes
  from (select camera_id, count(*) as n, sum(size_bytes) as bytes from old_rows group by camera_id order by camera_id) o
  where t.camera_id = o.camera_id;
  return null;
end $$;
create trigger images_counted_out after delete on images
  referencing old table as old_rows for each statement execute function count_gone_images();
