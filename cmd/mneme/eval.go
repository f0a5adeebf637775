package main

type evalCommand struct {
	Commands  evalCommands  `cmd:"" help:"How well spoken commands to the memory are recognised."`
	Detect    evalDetect    `cmd:"" help:"How well changes of affair are recognised."`
	Mask      evalMask      `cmd:"" help:"How well secrets are masked."`
	Retrieval evalRetrieval `cmd:"" help:"How well recall finds the turns that answer questions."`
}
