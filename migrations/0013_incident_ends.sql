-- Who was told that something is wrong with a camera is told when it is over.

alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check check (kind in ('alert', 'digest', 'end'));
