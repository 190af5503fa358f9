-- What events are searched in: one narrow row for each event that is not deleted, kept by triggers, so that no operation can forget it.
-- It also has what lists are narrowed by, so that a search with filters reads this table alone.

-- Text as it is compared: without accents, and with every mark a space, so that "gate/door", "gate-door" and "gate_door" are two words each.
-- Case is folded by the dictionary `simple`, which knows no language.
create function search_folded(given text) returns text language sql immutable parallel safe as $$
  select translate(
    case when octet_length(given) = char_length(given) then given
      else replace(translate(regexp_replace(normalize(given, nfkd), '[\u0300-\u036f]', '', 'g'), 'øØłŁđĐħĦı', 'oOlLdDhHi'), 'ß', 'ss')
    end,
    '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~',
    '                                '
  )
$$;

-- The words of an event, weighted: A summary and notes, B camera and classes, C reasoning. The camera stands for its name as a word that no
-- text can hold: a query asks for the cameras whose names fit, so that renaming one costs nothing here. Between the fields it keeps the
-- last word of one and the first of the next from being neighbours.
create function event_document(camera_id text, summary text, reasoning text, notes text, object_types text[])
returns tsvector language sql immutable parallel safe as $$
  select setweight(to_tsvector('pg_catalog.simple', search_folded(left(summary, 20000))), 'A')
    || camera.word || setweight(to_tsvector('pg_catalog.simple', search_folded(left(notes, 20000))), 'A')
    || camera.word || setweight(to_tsvector('pg_catalog.simple', search_folded(array_to_string(object_types, ' '))), 'B')
    || camera.word || setweight(to_tsvector('pg_catalog.simple', search_folded(left(reasoning, 100000))), 'C')
  from (select ('''@' || camera_id || ''':1B')::tsvector as word) camera
$$;

create table event_search (
  event_id bigint primary key,
  camera_id text not null,
  started_at timestamptz not null,
  risk_score smallint,
  risk_level text,
  object_types text[] not null,
  reviewed boolean not null,
  document tsvector not null
) with (fillfactor = 90);

create view event_search_rows as
select e.event_id, e.camera_id, e.started_at, e.risk_score, e.risk_level, e.object_types, e.reviewed,
  event_document(e.camera_id, e.summary, e.reasoning, e.notes, e.object_types) as document
from events e
where e.deleted_at is null;

insert into event_search (event_id, camera_id, started_at, risk_score, risk_level, object_types, reviewed, document)
select r.event_id, r.camera_id, r.started_at, r.risk_score, r.risk_level, r.object_types, r.reviewed, r.document
from event_search_rows r
order by r.event_id;

-- without a list of pending entries, which every search would have to read through
create index event_search_words on event_search using gin (document) with (fastupdate = off);
create index event_search_by_time on event_search (started_at);
analyze event_search;

create function search_new_events() returns trigger language plpgsql as $$
begin
  insert into event_search (event_id, camera_id, started_at, risk_score, risk_level, object_types, reviewed, document)
  select r.event_id, r.camera_id, r.started_at, r.risk_score, r.risk_level, r.object_types, r.reviewed, r.document
  from event_search_rows r
  where r.event_id in (select n.event_id from new_rows n);
  return null;
end $$;
create trigger events_searched_in after insert on events
  referencing new table as new_rows for each statement execute function search_new_events();

create function search_changed_events() returns trigger language plpgsql as $$
begin
  delete from event_search s using new_rows n where s.event_id = n.event_id and n.deleted_at is not null;
  insert into event_search (event_id, camera_id, started_at, risk_score, risk_level, object_types, reviewed, document)
  select n.event_id, n.camera_id, n.started_at, n.risk_score, n.risk_level, n.object_types, n.reviewed,
    event_document(n.camera_id, n.summary, n.reasoning, n.notes, n.object_types)
  from new_rows n
  join old_rows o using (event_id)
  where n.deleted_at is null
    and (
      o.deleted_at is not null
      or (n.camera_id, n.started_at, n.risk_score, n.risk_level, n.object_types, n.reviewed, n.summary, n.reasoning, n.notes)
        is distinct from (o.camera_id, o.started_at, o.risk_score, o.risk_level, o.object_types, o.reviewed, o.summary, o.reasoning, o.notes)
    )
  order by n.event_id
  on conflict (event_id) do update
  set camera_id = excluded.camera_id, started_at = excluded.started_at, risk_score = excluded.risk_score, risk_level = excluded.risk_level,
    object_types = excluded.object_types, reviewed = excluded.reviewed, document = excluded.document;
  return null;
end $$;
create trigger events_searched_changed after update on events
  referencing new table as new_rows old table as old_rows for each statement execute function search_changed_events();

create function search_gone_events() returns trigger language plpgsql as $$
begin
  delete from event_search s using old_rows o where s.event_id = o.event_id;
  return null;
end $$;
create trigger events_searched_out after delete on events
  referencing old table as old_rows for each statement execute function search_gone_events();

create function search_no_events() returns trigger language plpgsql as $$
begin
  truncate event_search;
  return null;
end $$;
create trigger events_searched_emptied after truncate on events
  for each statement execute function search_no_events();

-- One word or phrase of a query: its words side by side, the last one as a beginning when a * follows it, or one of the cameras whose name or
-- id has them. Whatever the text, this is no error; without a word in it nothing is looked for.
create function event_search_term(phrase text) returns tsquery language sql stable as $$
  with term as (
    select case when numnode(w.words) > 0 and phrase like '%*' then (w.words::text || ':*')::tsquery else w.words end as words
    from (select phraseto_tsquery('pg_catalog.simple', search_folded(phrase)) as words) w
  ), fitting as (
    select string_agg('''@' || c.camera_id || '''', ' | ' order by c.camera_id)::tsquery as cameras
    from cameras c
    cross join term t
    where to_tsvector('pg_catalog.simple', search_folded(c.name || ' ' || c.camera_id)) @@ t.words
  )
  select coalesce(t.words || f.cameras, t.words)
  from term t
  cross join fitting f
$$;

create index events_deleted on events (deleted_at desc, event_id desc) where deleted_at is not null;
