-- A zone that homesec blacks out in each picture before it leaves the daemon.
alter table camera_zones add column is_private boolean not null default false;
