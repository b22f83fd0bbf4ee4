CREATE TABLE "plans" (
	"name" text PRIMARY KEY NOT NULL,
	"requests_per_second" integer NOT NULL,
	"burst" integer NOT NULL,
	CONSTRAINT "plans_figures" CHECK (requests_per_second >= 1 and burst >= requests_per_second)
);
--> statement-breakpoint
CREATE TABLE "usage_minutes" (
	"minute" timestamp (3) with time zone NOT NULL,
	"key_id" uuid NOT NULL,
	"network" text NOT NULL,
	"method" text NOT NULL,
	"calls" bigint DEFAULT 0 NOT NULL,
	"errors" bigint DEFAULT 0 NOT NULL,
	"refused" bigint DEFAULT 0 NOT NULL,
	"weight" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_minutes_minute_key_id_network_method_pk" PRIMARY KEY("minute","key_id","network","method")
);
--> statement-breakpoint
CREATE TABLE "usage_writers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"batches" bigint NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "plan" text;