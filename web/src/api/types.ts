/**
 * The nouns of the hub's API under their own names, made from its OpenAPI document (`make web-types`).
 */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Agent = Schemas["Agent"];
export type Activity = Agent["activity"];
export type WaitingFor = Schemas["WaitingFor"];
export type DialogOption = Schemas["DialogOption"];
export type Machine = Schemas["Machine"];
export type Fleet = Schemas["Fleet"];
export type Health = Schemas["Health"];
export type Item = Schemas["Item"];
export type Items = Schemas["Items"];
export type Tool = Schemas["Tool"];
export type Delivery = Schemas["Delivery"];
export type Message = Schemas["Message"];
export type MessageState = Message["state"];
export type SendMessage = Schemas["SendMessage"];
export type Accepted = Schemas["Accepted"];
export type Done = Schemas["Done"];
export type Screen = Schemas["Screen"];
export type Scrollback = Schemas["Scrollback"];
export type ScreenFrame = Schemas["ScreenFrame"];
export type Receipt = Schemas["Receipt"];
export type Receipts = Schemas["Receipts"];
export type Device = Schemas["Device"];
export type DeviceList = Schemas["DeviceList"];
export type Paired = Schemas["Paired"];
export type ChatItems = Schemas["ChatItems"];
export type ChatHidden = Schemas["ChatHidden"];
export type AgentGone = Schemas["AgentGone"];
export type DeviceGone = Schemas["DeviceGone"];
export type ApiError = Schemas["Error"];
export type ErrorCode = ApiError["code"];
export type FromClient = Schemas["FromClient"];
export type FromServer = Schemas["FromServer"];
export type Ack = Schemas["Ack"];
export type ChatEntry = Schemas["ChatEntry"];
export type ChatList = Schemas["ChatList"];
export type FoundItem = Schemas["FoundItem"];
export type FoundItems = Schemas["FoundItems"];
export type ResultParts = Schemas["ResultParts"];
export type Attachment = Schemas["Attachment"];
export type Question = Schemas["Question"];
export type QuestionOption = Schemas["QuestionOption"];
export type QuestionStep = Schemas["QuestionStep"];
export type Questions = Schemas["Questions"];
export type Paused = Schemas["Paused"];
export type PauseState = Schemas["PauseState"];
export type Status = Schemas["Status"];
