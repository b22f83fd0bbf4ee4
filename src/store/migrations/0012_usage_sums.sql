CREATE TABLE "key_uses" (
	"id" uuid PRIMARY KEY NOT NULL,
	"used_at" timestamp (3) with time zone NOT NULL,
	"address" text
);
--> statement-breakpoint
CREATE TABLE "usage_sums" (
	"owner_id" uuid NOT NULL,
	"series" text NOT NULL,
	"start" timestamp (3) with time zone NOT NULL,
	"network" text NOT NULL,
	"method" text NOT NULL,
	"calls" bigint DEFAULT 0 NOT NULL,
	"errors" bigint DEFAULT 0 NOT NULL,
	"refused" bigint DEFAULT 0 NOT NULL,
	"weight" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_sums_owner_id_series_start_network_method_pk" PRIMARY KEY("owner_id","series","start","network","method"),
	CONSTRAINT "usage_sums_series" CHECK (series in ('methods_day', 'methods_hour', 'total_day', 'total_hour'))
);
--> statement-breakpoint
CREATE TABLE "wallet_charge_hours" (
	"account_id" uuid NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"operation" text NOT NULL,
	"units" bigint NOT NULL,
	"cost" bigint NOT NULL,
	CONSTRAINT "wallet_charge_hours_account_id_hour_operation_pk" PRIMARY KEY("account_id","hour","operation")
);
--> statement-breakpoint
CREATE TABLE "wallet_request_hours" (
	"account_id" uuid NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"token_id" uuid NOT NULL,
	"action" text NOT NULL,
	"requests" bigint DEFAULT 0 NOT NULL,
	"refused" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "wallet_request_hours_account_id_hour_token_id_action_pk" PRIMARY KEY("account_id","hour","token_id","action")
);
--> statement-breakpoint
CREATE TABLE "wallet_sum_tips" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"charged_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "usage_sums_start" ON "usage_sums" USING btree ("start");--> statement-breakpoint
CREATE INDEX "members_account" ON "members" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "usage_minutes_key" ON "usage_minutes" USING btree ("key_id","minute");--> statement-breakpoint
INSERT INTO "usage_sums" ("owner_id", "series", "start", "network", "method", "calls", "errors", "refused", "weight")
SELECT coalesce((SELECT account_id FROM "api_keys" WHERE id = u.key_id), (SELECT account_id FROM "members" WHERE id = u.key_id), '00000000-0000-0000-0000-000000000000'), 'methods_day', date_trunc('day', u.minute, 'UTC'), u.network, u.method, sum(u.calls), sum(u.errors), sum(u.refused), sum(u.weight)
FROM "usage_minutes" u GROUP BY 1, 3, 4, 5 ORDER BY 1, 3, 4, 5;--> statement-breakpoint
INSERT INTO "usage_sums" ("owner_id", "series", "start", "network", "method", "calls", "errors", "refused", "weight")
SELECT coalesce((SELECT account_id FROM "api_keys" WHERE id = u.key_id), (SELECT account_id FROM "members" WHERE id = u.key_id), '00000000-0000-0000-0000-000000000000'), 'methods_hour', date_trunc('hour', u.minute, 'UTC'), u.network, u.method, sum(u.calls), sum(u.errors), sum(u.refused), sum(u.weight)
FROM "usage_minutes" u GROUP BY 1, 3, 4, 5 ORDER BY 1, 3, 4, 5;--> statement-breakpoint
INSERT INTO "usage_sums" ("owner_id", "series", "start", "network", "method", "calls", "errors", "refused", "weight")
SELECT u.key_id, 'methods_day', date_trunc('day', u.minute, 'UTC'), u.network, u.method, sum(u.calls), sum(u.errors), sum(u.refused), sum(u.weight)
FROM "usage_minutes" u GROUP BY 1, 3, 4, 5 ORDER BY 1, 3, 4, 5;--> statement-breakpoint
INSERT INTO "usage_sums" ("owner_id", "series", "start", "network", "method", "calls", "errors", "refused", "weight")
SELECT u.key_id, 'total_day', date_trunc('day', u.minute, 'UTC'), '', '', sum(u.calls), sum(u.errors), sum(u.refused), sum(u.weight)
FROM "usage_minutes" u GROUP BY 1, 3, 4, 5 ORDER BY 1, 3, 4, 5;--> statement-breakpoint
INSERT INTO "usage_sums" ("owner_id", "series", "start", "network", "method", "calls", "errors", "refused", "weight")
SELECT u.key_id, 'total_hour', date_trunc('hour', u.minute, 'UTC'), '', '', sum(u.calls), sum(u.errors), sum(u.refused), sum(u.weight)
FROM "usage_minutes" u GROUP BY 1, 3, 4, 5 ORDER BY 1, 3, 4, 5;
