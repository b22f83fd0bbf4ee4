ALTER TABLE "usage_minutes" ADD COLUMN "messages" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_sums" ADD COLUMN "messages" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "usage_minutes" SET "messages" = "calls", "calls" = 0, "weight" = "weight" - "calls"
WHERE "method" LIKE 'Subscribe.%' AND "method" <> 'Subscribe.replay' AND "calls" > 0;--> statement-breakpoint
UPDATE "usage_sums" SET "messages" = "calls", "calls" = 0, "weight" = "weight" - "calls"
WHERE "method" LIKE 'Subscribe.%' AND "method" <> 'Subscribe.replay' AND "calls" > 0;--> statement-breakpoint
UPDATE "usage_sums" t SET "messages" = m.messages, "calls" = t.calls - m.messages, "weight" = t.weight - m.messages
FROM (SELECT owner_id, start, sum(messages) AS messages FROM "usage_sums" WHERE series = 'methods_day' AND messages > 0 GROUP BY 1, 2) m
WHERE t.series = 'total_day' AND t.owner_id = m.owner_id AND t.start = m.start;--> statement-breakpoint
UPDATE "usage_sums" t SET "messages" = m.messages, "calls" = t.calls - m.messages, "weight" = t.weight - m.messages
FROM (SELECT key_id, date_trunc('hour', minute, 'UTC') AS hour, sum(messages) AS messages FROM "usage_minutes" WHERE messages > 0 GROUP BY 1, 2) m
WHERE t.series = 'total_hour' AND t.owner_id = m.key_id AND t.start = m.hour;
