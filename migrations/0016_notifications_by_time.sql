-- What became of the notifications of the last day is asked by their time, whatever their state. The index of those that wait answered no question.
drop index notifications_waiting;
create index notifications_by_time on notifications (created_at);
